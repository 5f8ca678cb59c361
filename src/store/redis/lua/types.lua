-- Meets keys of a wrong type before anything is written: for steps that are not about speed.
local function meet()
  call('HLEN', job)
  call('ZCARD', delayed)
  call('ZCARD', kept)
  call('ZCARD', failed)
  call('ZCARD', back)
  call('HLEN', stale)
  call('ZCARD', marks)
  call('HLEN', body)
  call('HLEN', result)
  call('HLEN', notes)
  call('LLEN', events)
  call('LLEN', bell)
  for _, key in pairs(ready) do call('LLEN', key) end
end
