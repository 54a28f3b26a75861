package ledger

import (
	"github.com/ccwatchd/ccwatchd/table"
	"github.com/ccwatchd/ccwatchd/transcript"
)

// An openTurn is a turn of a file's main conversation that is not counted yet: a prompt
// and the part of its answer that was read so far.
type openTurn struct {
	uuid, text   transcript.Key // of the prompt
	attrs        uint32         // of the prompt's line: id in core.fileAttrs
	began, ended int64          // times stated by the prompt and by the answer, 0 if not stated
	// message is the latest message of the answer, and the zero Key after an API error,
	// which no line can continue.
	message         transcript.Key
	outcome         turnOutcome // of the latest message
	messages, calls uint64      // numbers of messages and tool calls
}

// A turnKey is a message or a tool call of the open turn of a file.
type turnKey = table.Pair[FileID, hash64]

// maxTurnKeys is the maximum number of keys of a turn. Beyond it, an unknown key counts
// whenever it appears.
const maxTurnKeys = 20_000

// A turnOutcome is whether a message ends its turn. A later line of the message can
// only raise it.
type turnOutcome uint8

// The outcomes of messages. Their numbers are persisted.
const (
	endsUnlessCalls turnOutcome = 0 // no tool call so far, and no stop reason that decides
	goesOn          turnOutcome = 1 // the model is asked again, with the results of its calls
	ends            turnOutcome = 2
)

// outcomeOf returns the outcome of a message as far as one of its lines shows it. Up to
// Claude Code 2.1.58 most messages have no stop reason, but only the last message of an
// answer has no tool call. A message that reached its maximum of tokens within a call
// goes on.
func outcomeOf(e *transcript.Entry) turnOutcome {
	switch e.Message.StopReason {
	case "end_turn", "stop_sequence", "refusal":
		return ends
	case "tool_use", "pause_turn", "compaction":
		return goesOn
	}
	if len(e.Uses) > 0 {
		return goesOn
	}
	return endsUnlessCalls
}

// hasEnded reports whether the answer is complete, except for lines that continue its
// last message.
func (t *openTurn) hasEnded() bool { return t.isAnswered() && t.outcome != goesOn }

func (t *openTurn) isAnswered() bool { return t.messages > 0 }

func codeOpenTurn(c *table.Coder, t *openTurn) {
	table.Fixed64(c, 1, &t.uuid)
	table.Fixed64(c, 2, &t.text)
	table.Uint(c, 3, &t.attrs)
	table.Int(c, 4, &t.began)
	table.Int(c, 5, &t.ended)
	table.Fixed64(c, 6, &t.message)
	table.Uint(c, 7, &t.outcome)
	table.Uint(c, 8, &t.messages)
	table.Uint(c, 9, &t.calls)
}
