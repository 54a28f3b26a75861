package ledger

import (
	"strconv"

	"github.com/ccwatchd/ccwatchd/state/codec"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// The kinds of keys in Ledger.seen.
const (
	seenPrompt = iota // uuids of prompts and interruptions
	seenQueued        // uuids of prompts typed while Claude works: attachments have their own uuids
	seenText          // time and text of both
	seenCompaction
	seenCompactionTime // time, trigger and size, for copies with other uuids
	seenAPIError
	seenRetry
	seenTurn     // uuids of turn_duration lines
	seenTurnTime // time and duration
	seenQueueOperation
	seenSession
	seenSubagent
	seenTurnPrompt // uuids of prompts whose turns were counted
	seenTurnText   // time and text of them
	seenLimitHit   // windows of usage limits, see limitKey
	seenEndedSession
	seenHook           // uuids of hook runs and of summaries of them
	seenHookRun        // what they state, for copies with other uuids
	seenHookClaim      // see claim
	seenPullRequest    // URLs
	seenCommit         // hashes
	seenTouchedFile    // session, operation and path
	seenBackgroundTask // ids of the tool calls that started them
	seenCount
)

// seenNames are the names of the kinds of keys, in metrics and in the state.
var seenNames = [seenCount]string{
	"prompt", "queued_prompt", "prompt_text", "compaction", "compaction_time", "api_error", "api_retry",
	"turn", "turn_time", "queue_operation", "session", "subagent",
	"turn_prompt", "turn_text", "limit_hit",
	"ended_session",
	"hook", "hook_run", "hook_claim", "pull_request", "commit", "touched_file", "background_task",
}

// DuplicateKinds are the values of the label kind of ccwatchd_duplicates_total. The
// list must not be modified.
var DuplicateKinds = []string{
	"message", "tool_call", "tool_result", "prompt", "interruption", "compaction", "api_error", "api_retry",
	"turn", "queue_operation",
	"hook", "pull_request", "commit", "background_task",
}

// queued is the kind of prompts typed while Claude works.
const queued = "queued"

// prompt counts prompts of a person or a program, and interruptions. A side chain holds
// tasks for sub-agents and replays, which are not prompts.
func (l *Ledger) prompt(lc *lineContext, e *transcript.Entry) {
	p := e.Prompt
	if p == nil || lc.side && p.Kind != transcript.Interruption {
		return
	}
	if e.Type != "system" { // Claude Code's own commands can appear within a message
		l.supersede(lc.file)
	}
	uuids, text := seenPrompt, p.TextKey
	if p.Kind == queued {
		uuids = seenQueued
	}
	if lc.side {
		text = transcript.KeyOf("side", string(text[:]))
	}
	// Both keys are recorded, whether or not the other is new.
	isNew := l.first(uuids, e.UUID, lc.id)
	isNew = l.first(seenText, text, lc.id) && isNew
	switch {
	case !isNew && p.Kind == transcript.Interruption:
		l.duplicate("interruption", lc.when)
	case !isNew:
		l.duplicate("prompt", lc.when)
	case p.Kind == transcript.Interruption:
		l.add(interruptions, 1, lc.when, lc.source, lc.project, lc.agent)
	default:
		l.add(prompts, 1, lc.when, lc.source, p.Kind, lc.project)
		l.credit(lc, sessionCounts{sessionPrompts: 1})
		if e.Command != "" {
			l.add(commands, 1, lc.when, lc.source, l.bounded(commandLabel, e.Command, lc.when), lc.project)
		}
	}
}

// events counts everything that has its own key and can be counted at once.
func (l *Ledger) events(lc *lineContext, e *transcript.Entry) {
	if c := e.Compaction; c != nil && !lc.kind.Replays() &&
		l.onceByTime(seenCompaction, seenCompactionTime, e, lc, c.Trigger, c.PreTokens) {
		l.compaction(lc, e.Sidechain, c)
	}
	if e.APIError != nil {
		l.apiError(lc, e)
	}
	if r := e.Retry; r != nil && l.once(seenRetry, e.UUID, lc) {
		l.add(apiRetries, 1, lc.when, lc.source, l.bounded(statusLabel, r.Status, lc.when))
	}
	if t := e.Turn; t != nil && l.onceByTime(seenTurn, seenTurnTime, e, lc, "", t.Milliseconds) {
		l.observe(turnDuration, t.Milliseconds, lc.when, lc.source)
	}
	if !e.QueueKey.IsZero() {
		l.queueOperation(lc, e)
	}
	l.hooks(lc, e)
	l.work(lc, e)
}

func (l *Ledger) apiError(lc *lineContext, e *transcript.Entry) {
	isNew := l.once(seenAPIError, e.UUID, lc)
	if isNew {
		class, status := l.bounded(errorLabel, e.APIError.Class, lc.when), l.bounded(statusLabel, e.APIError.Status, lc.when)
		l.add(apiErrors, 1, lc.when, lc.source, class, status)
	}
	if e.LimitHit != nil {
		l.limitHit(lc, e, isNew)
	}
}

// onceByTime is once for events that tools copy with new uuids. They also have a key of
// their time and what they state; both keys are recorded, whether or not the other is
// new.
func (l *Ledger) onceByTime(uuids, times int, e *transcript.Entry, lc *lineContext, label string, n uint64) bool {
	isNew := l.first(uuids, e.UUID, lc.id)
	if e.Time != 0 {
		stated := transcript.KeyOf(strconv.FormatInt(e.Time, 10), label, strconv.FormatUint(n, 10))
		isNew = l.firstAt(times, stated, lc) && isNew
	}
	if !isNew {
		l.duplicate(seenNames[uuids], lc.when)
	}
	return isNew
}

// firstAt is first for a key of a time. Two files may state the same at the same time
// and mean two events, unless one of them holds messages of other files, or none so
// far, as clones and shortened files do.
func (l *Ledger) firstAt(kind int, stated transcript.Key, lc *lineContext) bool {
	clone := transcript.KeyOf("clone", string(stated[:]))
	holder, seen := l.seen[kind].Get(hashOf(stated))
	copied := holder == lc.id || l.has(kind, clone, lc.id)
	if lc.file.is(fileHasCopies) || lc.file.message.IsZero() {
		copied = true
		l.first(kind, clone, lc.id)
	}
	l.first(kind, stated, lc.id)
	return !seen || !copied
}

// queueOperation counts an operation on the queue. There can be several of one kind in
// a millisecond, so the key includes the index among equal operations that follow each
// other in the file.
func (l *Ledger) queueOperation(lc *lineContext, e *transcript.Entry) {
	f := lc.file
	if op := shortHash(e.QueueKey[:]); f.queueOp == op {
		f.queueRepeats++
	} else {
		f.queueOp, f.queueRepeats = op, 0
	}
	if e.QueueOperation == "" {
		return
	}
	var room [10]byte
	index := string(strconv.AppendUint(room[:0], uint64(f.queueRepeats), 10))
	if l.once(seenQueueOperation, transcript.KeyOf("queue", string(e.QueueKey[:]), index), lc) {
		l.add(queueOperations, 1, lc.when, lc.source, e.QueueOperation)
	}
}

func (l *Ledger) compaction(lc *lineContext, sidechain bool, c *transcript.Compaction) {
	agent := "main"
	if sidechain {
		agent = lc.agent
	}
	trigger := l.bounded(triggerLabel, c.Trigger, lc.when)
	l.add(compactions, 1, lc.when, lc.source, trigger, lc.project, agent)
	if c.PreTokens > 0 {
		l.observe(compactionPreTokens, c.PreTokens, lc.when, lc.source, trigger)
	}
	if c.Milliseconds > 0 {
		l.observe(compactionDuration, c.Milliseconds, lc.when, lc.source, trigger)
	}
	if c.PostTokens > 0 && c.PreTokens > c.PostTokens {
		l.add(compactionSavedTokens, c.PreTokens-c.PostTokens, lc.when, lc.source, trigger)
	}
}

// codeEntry visits the parts of an entry that are counted, for the journal.
func codeEntry(c *codec.Coder, e *transcript.Entry) {
	codec.String(c, 1, &e.Type)
	codec.Fixed64(c, 2, &e.UUID)
	codec.Int(c, 3, &e.Time)
	codec.Fixed64(c, 4, &e.Session)
	codec.String(c, 5, &e.Project)
	codec.String(c, 6, &e.Command)
	codec.Bool(c, 7, &e.HasProject)
	codec.Bool(c, 8, &e.Sidechain)
	codec.Optional(c, 9, &e.Message, func(c *codec.Coder, m *transcript.Message) { codeMessage(c, m, nil) })
	codec.Slice(c, 10, &e.Uses, codeUse)
	codec.Slice(c, 11, &e.Results, codeResult)
	codec.Optional(c, 12, &e.Prompt, codePrompt)
	codec.Optional(c, 13, &e.APIError, codeAPIError)
	codec.Optional(c, 14, &e.Retry, func(c *codec.Coder, r *transcript.Retry) { codec.String(c, 1, &r.Status) })
	codec.Optional(c, 15, &e.Compaction, codeCompaction)
	codec.Optional(c, 16, &e.Turn, func(c *codec.Coder, t *transcript.Turn) { codec.Uint(c, 1, &t.Milliseconds) })
	codec.String(c, 17, &e.QueueOperation)
	codec.Bool(c, 18, &e.Warmup)
	codeUnknownItems(c, 19, &e.Unknown)
	codec.Fixed64(c, 20, &e.QueueKey)
	codec.Slice(c, 21, &e.Reported, codeReportedUsage)
	codec.Optional(c, 30, &e.LimitHit, codeLimitHit)
	codec.Optional(c, 40, &e.Attribution, codeEntryAttribution)
	codec.Uint(c, 50, &e.PermissionMode)
	codeWork(c, 55, e) // fields 55 to 57
}

// codePrompt omits the name of the command: Entry.Command is its label.
func codePrompt(c *codec.Coder, p *transcript.Prompt) {
	codec.String(c, 1, &p.Kind)
	codec.Fixed64(c, 2, &p.TextKey)
}

func codeAPIError(c *codec.Coder, x *transcript.APIError) {
	codec.String(c, 1, &x.Class)
	codec.String(c, 2, &x.Status)
}

func codeCompaction(c *codec.Coder, k *transcript.Compaction) {
	codec.String(c, 1, &k.Trigger)
	codec.Uint(c, 2, &k.PreTokens)
	codec.Uint(c, 3, &k.Milliseconds)
	codec.Uint(c, 4, &k.PostTokens)
}
