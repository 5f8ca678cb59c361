/* Every command there is. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cmd.h"

extern const struct cmd cmd_bench, cmd_check, cmd_completion, cmd_doctor, cmd_failed_list,
    cmd_failed_purge, cmd_failed_revive, cmd_help, cmd_job_cancel, cmd_job_keep, cmd_job_list,
    cmd_job_remove, cmd_job_revive, cmd_job_show, cmd_job_why, cmd_lead, cmd_leader_list,
    cmd_leader_resign, cmd_leader_show, cmd_lock, cmd_push, cmd_queue_list, cmd_queue_pause,
    cmd_queue_purge, cmd_queue_resume, cmd_queue_set, cmd_queue_show, cmd_spool_forward,
    cmd_spool_list, cmd_spool_purge, cmd_spool_revive, cmd_stats, cmd_stream_claim, cmd_stream_end,
    cmd_stream_failed, cmd_stream_list, cmd_stream_offer, cmd_stream_own, cmd_stream_show,
    cmd_stream_yield, cmd_tend, cmd_wait, cmd_watch, cmd_work, cmd_worker_list;

#endif
