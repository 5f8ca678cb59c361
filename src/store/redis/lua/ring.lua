-- Wakes one of those who wait for a job: before who sleeps on the bell, who keeps a vigil. Some of these
-- have left without a word, perhaps: at a channel that nobody listens to, nobody hears. J11: a few are
-- tried. All is written by now.
local rung, there = 0, call('EXISTS', offers, bell, bell) -- the bell counts twice
for _ = 1, there % 2 * 16 do
  local offer = try('LPOP', offers)
  if type(offer) ~= 'string' then break end
  if #offer > 35 and parse('>I6', offer) > now then
    rung = try('PUBLISH', offers .. ':' .. sub(offer, 7, 22), sub(offer, 23, 30))
    if type(rung) == 'number' and rung > 0 then break end
    rung = 0
  end
end
if rung == 0 and there < 2 then try('RPUSH', bell, string.format('%.0f', seq)) end
