package corpus

// What versions after 2.1.232 write. It is known from changelogs, issues and what
// others measured, not from genuine files.

var (
	// systemCommandsSince is the version from which on most local commands are system
	// entries instead of user entries.
	systemCommandsSince = v(2, 1, 200)
	// recentKeysSince is the version from which on entries have the newer keys.
	recentKeysSince = v(2, 1, 240)
)

// unknownIteration is a type of iteration that no version has.
const unknownIteration = "future_message"

// futureNotes are types of entries that no version has. They hold nothing that could
// be counted.
var futureNotes = []string{"future-latch", "future-ledger", "future-snapshot"}

// unknownTypes are the types of entries that no version has, with the kind by which
// ccwatchd reports them.
var unknownTypes = map[string]string{
	"future-entry": "type", "future-latch": "metadata_type", "future-ledger": "metadata_type", "future-snapshot": "metadata_type",
}

// future writes an entry of a type that no version has. It has a usage, and so it may
// be something to be counted, unless such things are not wanted.
func (s *session) future() {
	if s.noAlarms {
		s.note(pick(s.dice, futureNotes), func() { s.owner().raw(`,"data":{"usage":{"input_tokens":7,"output_tokens":7}}`) })
		return
	}
	s.note("future-entry", func() { s.owner().raw(`,"usage":{"input_tokens":7,"output_tokens":7}`) })
}

// localCommand writes a command that Claude Code runs by itself as a system entry;
// content writes its text, quoted.
func (t *thread) localCommand(name string, content func()) {
	t.person()
	t.notice("local_command", func() {
		t.raw(`,"content":`)
		content()
		t.raw(`,"level":"info"`)
	})
	t.marks[len(t.marks)-1].unique = false // its time and text are a key too
	t.books.prompt("local_command")
	t.books.command(name)
}

// commandOutput writes what a local command printed.
func (t *thread) commandOutput(escaped string) {
	t.notice("local_command", func() { t.raw(`,"content":`).quote(escaped).raw(`,"level":"info"`) })
}

// recentAssistantKeys adds the newer keys of assistant entries.
func (t *thread) recentAssistantKeys() {
	if t.version < recentKeysSince {
		return
	}
	t.raw(`,"apiBlockIndex":`).num(t.IntN(4)).raw(`,"perTurnEffort":`).quote(pick(t.dice, []string{"low", "medium", "high"}))
	if t.chance(10) {
		t.raw(`,"advisorModel":"claude-opus-5","wireToolInputs":[],"batchToolUses":false`)
	}
	if t.chance(5) {
		t.raw(`,"diagnostics":{"cache_miss_reason":{"type":`)
		t.quote(pick(t.dice, []string{"model_changed", "previous_message_not_found"})).raw(`}},"input_transformations":[]`)
	}
}

// denials are the kinds of denial of a tool call, by the class of its failure.
var denials = map[string]string{"user_rejected": "user-rejected", "interrupted": "interrupted", "permission": "permission-rule"}

// denial adds who did not let a tool run.
func (t *thread) denial(c *call) {
	if kind := denials[c.fail.reason()]; kind != "" && t.version >= recentKeysSince {
		t.raw(`,"toolDenialKind":`).quote(kind)
	}
}

// advice is a request to an advisor.
func (s *session) advice() iteration {
	return iteration{kind: "advisor_message", model: pick(s.dice, s.era.models), input: s.between(100, 9000), output: s.between(50, 900), read: s.IntN(40000)}
}

// compactOnServer has the API compact the context within a response. Now and then
// an advisor is asked for the same one.
func (s *session) compactOnServer() {
	model := ""
	if s.chance(70) {
		model = pick(s.dice, []string{"claude-sonnet-5", "claude-haiku-4-5-20251001"})
	}
	m := s.response(pick(s.dice, []string{"compaction", "end_turn"}), func(u *usage) {
		u.iterations = []iteration{{
			kind: "compaction", model: model,
			input: s.between(90_000, 180_000), output: s.between(1000, 6000), read: s.IntN(40_000), written: s.IntN(9000),
		}}
		if s.chance(50) {
			u.iterations = append(u.iterations, s.advice())
		}
	})
	s.say(m, true, s.words)
}

// fallBack has a request given up in favour of another model. What it used is
// shown, but not counted.
func (s *session) fallBack() {
	kinds := []string{"fallback_message", "message", unknownIteration}
	if s.noAlarms {
		kinds = kinds[:2]
	}
	m := s.response("end_turn", func(u *usage) {
		for _, kind := range kinds {
			u.iterations = append(u.iterations, iteration{kind: kind, model: "claude-fallback-" + s.hex(1), input: s.between(10, 9000), output: s.between(1, 90)})
		}
	})
	s.say(m, true, s.words)
}
