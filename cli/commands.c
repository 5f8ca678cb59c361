#include "commands.h"

#include <stddef.h>

const struct cmd *const cmds[] = {
    &cmd_push,          &cmd_work,
    &cmd_wait,          &cmd_check,
    &cmd_job_show,      &cmd_job_list,
    &cmd_job_cancel,    &cmd_job_revive,
    &cmd_job_remove,    &cmd_job_keep,
    &cmd_job_why,       &cmd_queue_list,
    &cmd_queue_show,    &cmd_queue_pause,
    &cmd_queue_resume,  &cmd_queue_set,
    &cmd_queue_purge,   &cmd_failed_list,
    &cmd_failed_revive, &cmd_failed_purge,
    &cmd_spool_list,    &cmd_spool_forward,
    &cmd_spool_revive,  &cmd_spool_purge,
    &cmd_lead,          &cmd_lock,
    &cmd_leader_list,   &cmd_leader_show,
    &cmd_leader_resign, &cmd_stream_offer,
    &cmd_stream_own,    &cmd_stream_list,
    &cmd_stream_show,   &cmd_stream_end,
    &cmd_stream_yield,  &cmd_stream_claim,
    &cmd_stream_failed, &cmd_watch,
    &cmd_stats,         &cmd_worker_list,
    &cmd_tend,          &cmd_doctor,
    &cmd_bench,         &cmd_completion,
    &cmd_help,          NULL,
};
