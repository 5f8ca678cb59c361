-- Events, written only while the queue is watched. An entry of the list: type, state, when, token,
-- whether there is a worker, size of the id, the id, the worker. The last one has the number
-- cold.event.
local told = {}
local watched = has(flags, WATCHED) ~= 0 and more().watched_until > now

-- lease: the 15 bytes of a record.
local function tell(type_, state, id, worker, lease_)
  if not watched then return end
  told[#told + 1] = pack('>BBI6c7BB', type_, state, now, sub(lease_, 9), worker and 1 or 0, #id) ..
                    id .. (worker or '')
end

-- Call it before save(). Nobody's step fails for an event.
local function write_events()
  if #told == 0 then return end
  local size = try('RPUSH', events, unpack(told))
  if type(size) ~= 'number' then return end
  more().event = cold.event + #told
  if size > 10000 then call('LTRIM', events, -10000, -1) end
end
