-- What all hosts know of one target, in one hash, and one decision on it per call. Redis's clock decides, in milliseconds.
-- The decisions are those of packages/engine/src/mailbox/local-pace.ts, and the same table of steps tests both.
--   KEYS[1] the target   ARGV[1] lease, release, slow_down or suspend   ARGV[2] what it takes, as JSON
-- Fields: full_at (of the rate's allowance), level and slowed_at, until and reason (of a suspension),
--   lease:<id> (<when it ends>:<refusals it was promised>), refused:<slot> (how many).
local key, decision, ask = KEYS[1], ARGV[1], cjson.decode(ARGV[2])
local clock = redis.call('TIME')
local now = clock[1] * 1000 + math.floor(clock[2] / 1000)
local slot = math.floor(now / ask.slotMs)

-- Lua's own conversion keeps 14 digits, of which a time takes 13; whole numbers pass it unharmed.
local function set(...) redis.call('HSET', key, ...) end
local function numberOf(field, default) return tonumber(redis.call('HGET', key, field)) or default end

local function countRefused(count)
  if count > 0 then redis.call('HINCRBY', key, 'refused:' .. slot, count) end
end

local function suspend(forMs, reason)
  local ends = now + forMs
  if ends > numberOf('until', 0) then set('until', ends, 'reason', reason) end
end

local function levelOf()
  local hours = math.floor((now - numberOf('slowed_at', now)) / ask.gainEveryMs)
  return math.min(ask.levelMax, numberOf('level', ask.levelMax) + hours * ask.levelGain)
end

-- A Redis that was away, or lost its memory, learns again what the asking host knows.
local function learn()
  countRefused(ask.refused)
  if ask.suspendedMs > 0 then suspend(ask.suspendedMs, ask.reason) end
  for _, lease in ipairs(ask.held) do
    redis.call('HSETNX', key, 'lease:' .. lease[1], (now + lease[2]) .. ':' .. lease[3])
  end
end

-- The open leases and the refusals of the hour. What a lost holder saw refused is not known: all it was promised counts.
local function look()
  local seen = { leases = 0, promised = 0, nextEnd = math.huge, used = 0, slots = {} }
  local fields = redis.call('HGETALL', key)
  for i = 1, #fields, 2 do
    local ends, promised = string.match(fields[i + 1], '^(%d+):(%d+)$')
    local counted = tonumber(string.match(fields[i], '^refused:(%d+)$'))
    if ends and tonumber(ends) <= now then
      redis.call('HDEL', key, fields[i])
      countRefused(tonumber(promised))
      seen.used = seen.used + promised
      table.insert(seen.slots, { slot, tonumber(promised) })
    elseif ends then
      seen.leases = seen.leases + 1
      seen.promised = seen.promised + promised
      seen.nextEnd = math.min(seen.nextEnd, tonumber(ends) - now)
    elseif counted and counted <= slot - ask.slotsInHour then
      redis.call('HDEL', key, fields[i])
    elseif counted then
      seen.used = seen.used + fields[i + 1]
      table.insert(seen.slots, { counted, tonumber(fields[i + 1]) })
    end
  end
  table.sort(seen.slots, function(a, b) return a[1] < b[1] end)
  return seen
end

local function freeIn(left, slots)
  for _, counted in ipairs(slots) do
    left = left + counted[2]
    if left >= 1 then return (counted[1] + ask.slotsInHour) * ask.slotMs - now end
  end
  return ask.slotsInHour * ask.slotMs
end

-- Answers 'lease' and how many refusals it may see, -1 for any number, or why not and for how many milliseconds.
local function lease()
  learn()
  local suspendedUntil = numberOf('until', 0)
  if suspendedUntil > now then return { 'suspended', suspendedUntil - now } end

  local seen = look()
  local isCounted = ask.errorsPerHour ~= cjson.null
  local left = isCounted and ask.errorsPerHour - seen.used or math.huge
  if left < 1 then return { 'budget', freeIn(left, seen.slots) } end

  local level = levelOf() / ask.levelMax
  local connections = math.max(1, math.floor(ask.connectionsPerEgress * level))
  local interval = math.ceil(60000 / (ask.connectionsPerMinute * level))
  local soon = math.min(interval, seen.nextEnd)
  if seen.leases >= connections then return { 'connections', soon } end
  if left - seen.promised < 1 then return { 'budget', soon } end

  local fullAt = math.max(now, numberOf('full_at', 0))
  local early = fullAt - now - (connections - 1) * interval
  if early > 0 then return { 'rate', early } end

  local errorsMax = -1
  if isCounted then
    local share = math.floor((left - seen.promised) / (connections - seen.leases))
    errorsMax = math.min(ask.errorsOnConnection, math.max(1, share))
  end
  set('full_at', fullAt + interval, 'lease:' .. ask.id, (now + ask.leaseMs) .. ':' .. math.max(0, errorsMax))
  return { 'lease', errorsMax }
end

local answer = { 'done', 0 }
if decision == 'lease' then
  answer = lease()
elseif decision == 'release' then
  redis.call('HDEL', key, 'lease:' .. ask.id)
  countRefused(ask.refused)
elseif decision == 'suspend' then
  suspend(ask.forMs, ask.reason)
elseif decision == 'slow_down' and now - numberOf('slowed_at', 0) >= ask.slowDownOnceMs then
  set('level', math.max(ask.levelMin, math.floor(levelOf() / 2)), 'slowed_at', now)
end

redis.call('PEXPIRE', key, math.max(ask.forgetMs, numberOf('until', 0) - now))
return answer
