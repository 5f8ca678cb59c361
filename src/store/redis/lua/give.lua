-- Part of push.lua: a job that is alone, while somebody keeps a vigil, is his at once: claimed in this
-- step, and told to him with all he needs. It never stands in line. The first write is one that a full
-- server refuses; the message is the last that can fail, and what was written for one that nobody hears
-- is taken back. J11: a few are tried.
-- An offer, in `offers`: until when it stands, ms (6), what its channel is named by (16), holder (8), lease, ms
-- (6), worker.
-- The message: holder (8); bits, token, now, due as in the head of an exchange's answer (20); the claim as
-- a part (show.lua), its size (2) before it; the id, its size (1) before it; the record.
local passed_over = 0 -- offers that stand no more
for _ = 1, 4 do
  local offer = try('LINDEX', offers, passed_over == 0 and '0' or passed_over)
  if type(offer) ~= 'string' then break end
  if #offer < 36 or parse('>I6', offer) <= now then
    passed_over = passed_over + 1
  else
    local holder, lease_ms, worker = sub(offer, 23, 30), parse('>I6', offer, 31), sub(offer, 37)
    local new = now_us > token and now_us or token + 1 -- J4
    if shards > 1 then new = new - new % 64 + 64 + shard end -- so it names its shard
    local token_bytes = pack('>I7', new)
    local name, until_ = holder .. token_bytes, now + lease_ms
    call('ZADD', lease, until_, name)
    local about = pack('>BI6c0', #worker, now, worker)
    local claim = '\0\1' .. about .. place .. place .. cmsgpack.pack(ids)
    local heard = try('HSET', claims, name, claim)
    if type(heard) == 'number' then
      for _ = 0, passed_over do call('LPOP', offers) end
      passed_over = 0
      local part = pack('>I6', until_) .. name .. about
      heard = try('PUBLISH', offers .. ':' .. sub(offer, 7, 22),
                  holder .. pack('>BI7I6I6I2', 0, new, now, due, #part) .. part .. pack('>Bc0', #ids[1], ids[1]) .. record)
    end
    if type(heard) == 'number' and heard > 0 then
      is_given, token, claimed_to = true, new, seq
      if lease_ms > longest then longest = lease_ms end
      break
    end
    try('HDEL', claims, name)
    call('ZREM', lease, name)
    if type(heard) ~= 'number' then break end -- a key of a wrong type, or a channel that is not allowed
  end
end
