-- One round trip for all that a request needs of Redis: its place within the account's rate, the account's recent result
-- for the same question, and, where there is none, a place among the account's validations under way.
--   KEYS[1] when the account's rate is full again (microseconds, Redis's clock)
--   KEYS[2] a recent result            KEYS[3] the places taken, by the time they lapse: both only for a question
--   ARGV[1] quota   ARGV[2] window in microseconds
--   ARGV[3] places  ARGV[4] name of the place  ARGV[5] microseconds until it lapses
-- Answers {allowed, microseconds until full, microseconds to wait, recent result or false, 1 if all places are taken}.
local clock = redis.call('TIME')
local now = clock[1] * 1000000 + clock[2]
local window = tonumber(ARGV[2])
local before = math.max(now, tonumber(redis.call('GET', KEYS[1])) or 0)
local after = before + window / tonumber(ARGV[1])
local wait = math.ceil(after - window - now)

if wait > 0 then
  return {0, math.ceil(before - now), wait, false, 0}
end

-- Written out in full: Lua's own conversion keeps 14 digits, and microseconds since 1970 have 16.
redis.call('SET', KEYS[1], string.format('%.0f', after), 'PX', math.ceil((after - now) / 1000) + 1)
local recent = KEYS[2] and redis.call('GET', KEYS[2]) or false
local full = 0

if KEYS[3] and not recent then
  redis.call('ZREMRANGEBYSCORE', KEYS[3], 0, string.format('%.0f', now))
  if redis.call('ZCARD', KEYS[3]) >= tonumber(ARGV[3]) then
    full = 1
  else
    local lapse = tonumber(ARGV[5])
    redis.call('ZADD', KEYS[3], string.format('%.0f', now + lapse), ARGV[4])
    redis.call('PEXPIRE', KEYS[3], math.ceil(lapse / 1000))
  end
end
return {1, math.ceil(after - now), 0, recent, full}
