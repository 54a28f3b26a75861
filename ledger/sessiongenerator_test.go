package ledger

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"
)

// A sessionGenerator generates transcripts: sessions with messages of every era, forks,
// sub-agents that repeat their parents, and replays.
//
// As in genuine ones, copies of a message have the same input, a gateway's estimate is
// followed by the final line, and a copy of a prompt keeps its time.
type sessionGenerator struct {
	*rand.Rand
	files   []*generatedFile
	message int // numbers for ids
	id      int
	clock   time.Time
	unended map[any]bool // ids of messages without a final line
}

type generatedFile struct {
	name  string
	lines []object
}

type object map[string]any

func generateSessions(seed uint64) *sessionGenerator {
	w := &sessionGenerator{Rand: rand.New(rand.NewPCG(seed, 7)), clock: time.Date(2026, 5, 1, 10, 0, 0, 0, time.UTC), unended: make(map[any]bool)}
	for i := range 1 + w.IntN(3) {
		f := w.add(fmt.Sprintf("session-%d.jsonl", i))
		w.dialogue(f, object{"sessionId": fmt.Sprint("s", i), "cwd": fmt.Sprint("/p/", i)}, 3+w.IntN(8))
	}
	for i := range w.IntN(3) {
		w.fork(fmt.Sprintf("fork-%d.jsonl", i), object{"sessionId": fmt.Sprint("fork", i), "cwd": "/p/fork"})
	}
	for i := range w.IntN(4) {
		name := w.pick("agent-%d.jsonl", "s0/subagents/workflows/wf_1/agent-%d.jsonl", "web/agent-%d.jsonl")
		f := w.add(fmt.Sprintf(name, i))
		with := object{"sessionId": "s0", "isSidechain": true}
		f.lines = append(f.lines, w.line("user", with, object{"message": object{"content": w.pick("Warmup", "a task")}}))
		w.dialogue(f, with, 1+w.IntN(4))
	}
	if w.chance(2) {
		w.fork(w.pick("agent-acompact-1.jsonl", "agent-aside_question-1.jsonl"), object{"isSidechain": true})
	}
	if w.chance(3) { // the whole conversation again
		f := w.files[0]
		f.lines = append(f.lines, slices.Clone(f.lines)...)
	}
	return w
}

func (w *sessionGenerator) chance(n int) bool         { return w.IntN(n) == 0 }
func (w *sessionGenerator) pick(of ...string) string  { return of[w.IntN(len(of))] }
func (w *sessionGenerator) next(prefix string) string { w.id++; return fmt.Sprint(prefix, w.id) }
func (w *sessionGenerator) add(name string) *generatedFile {
	w.files = append(w.files, &generatedFile{name: name})
	return w.files[len(w.files)-1]
}

// line returns a line a little later than the previous one.
func (w *sessionGenerator) line(kind string, with ...object) object {
	w.clock = w.clock.Add(time.Duration(1+w.IntN(30000)) * time.Millisecond)
	o := object{"type": kind, "uuid": w.next("u"), "timestamp": w.clock.Format("2006-01-02T15:04:05.000Z")}
	for _, more := range with {
		maps.Copy(o, more)
	}
	return o
}

// fork adds a file that begins like another one and continues differently.
func (w *sessionGenerator) fork(name string, with object) {
	of := w.files[w.IntN(len(w.files))]
	cut, renew := w.IntN(len(of.lines)+1), w.chance(2)
	for cut > 0 && of.lines[cut-1]["estimate"] != nil {
		cut++ // there are no forks in the middle of a response
	}
	f := w.add(name)
	for _, line := range of.lines[:cut] {
		if line["interruption"] != nil && with["isSidechain"] != nil {
			continue // its agent would depend on which file is read first
		}
		o := maps.Clone(line)
		maps.Copy(o, with)
		if renew && o["uuid"] != nil && o["subtype"] == nil && o["isApiErrorMessage"] == nil {
			o["uuid"] = w.next("u")
		}
		if m, ok := o["message"].(object); ok && w.chance(3) && w.unended[m["id"]] {
			o["message"] = better(m)
		}
		f.lines = append(f.lines, o)
	}
	w.dialogue(f, with, 1+w.IntN(3))
}

// better returns the record with more output, as only a copy may have.
func better(message object) object {
	message = maps.Clone(message)
	usage, _ := message["usage"].(object)
	usage = maps.Clone(usage)
	usage["output_tokens"], message["usage"] = 5000, usage
	return message
}

// dialogue appends some turns.
func (w *sessionGenerator) dialogue(f *generatedFile, with object, turns int) {
	for range turns {
		w.turn(f, with)
	}
}

func (w *sessionGenerator) turn(f *generatedFile, with object) {
	add := func(kind string, more ...object) {
		f.lines = append(f.lines, w.line(kind, append([]object{with}, more...)...))
	}
	content := func(v any) object { return object{"message": object{"content": v}} }
	switch w.IntN(12) {
	case 0:
		add("user", content(w.pick("do this", "<command-name>/clear</command-name>", "<bash-input>ls</bash-input>")))
	case 1:
		add("user", object{"interruption": true}, content([]object{{"type": "text", "text": "[Request interrupted by user]"}}))
	case 2:
		add("attachment", object{"attachment": object{"type": "queued_command", "commandMode": "prompt", "prompt": "wait"}})
	case 3:
		add("system", object{"subtype": "compact_boundary", "compactMetadata": object{"trigger": w.pick("auto", "manual"), "preTokens": w.IntN(200000)}})
	case 4:
		add("system", object{"subtype": w.pick("turn_duration", "api_error", "quantum"), "durationMs": w.IntN(100000), "error": object{"status": 529}})
	case 5:
		add("queue-operation", object{"operation": w.pick("enqueue", "remove", "popAll"), "uuid": nil})
	case 6:
		add("assistant", object{"isApiErrorMessage": true, "error": w.pick("rate_limit", "unheard_of"),
			"message": object{"model": "<synthetic>", "usage": object{"input_tokens": 0}}})
	case 7:
		w.tools(f, with)
	default:
		w.response(f, with)
	}
}

// tools appends a call and its result, in any order, or one of them.
func (w *sessionGenerator) tools(f *generatedFile, with object) {
	id, name := w.next("t"), w.pick("Bash", "Edit", "mcp__git__log")
	call := w.line("assistant", with, object{"message": object{"content": []object{{"type": "tool_use", "id": id, "name": name}}}})
	result := w.line("user", with, object{"message": object{"content": []object{
		{"type": "tool_result", "tool_use_id": id, "content": w.pick("fine", "Exit code 1"), "is_error": w.chance(2)},
	}}})
	if w.chance(3) {
		result["toolUseResult"] = object{"structuredPatch": []object{{"lines": []string{"+a", "-b", "+c"}}}}
	}
	switch w.IntN(5) {
	case 0:
		f.lines = append(f.lines, call)
	case 1:
		f.lines = append(f.lines, result)
	case 2:
		f.lines = append(f.lines, result, call)
	default:
		f.lines = append(f.lines, call, result)
	}
}

// response appends the lines of one message of a random era.
func (w *sessionGenerator) response(f *generatedFile, with object) {
	w.message++
	id, model := fmt.Sprint("m", w.message), fmt.Sprint("model", w.message%3)
	in, out, cached := 10+w.IntN(100), 10+w.IntN(1000), w.IntN(3)*500
	add := func(stop any, usage object) {
		f.lines = append(f.lines, w.line("assistant", with, object{"message": object{"id": id, "model": model, "stop_reason": stop, "usage": usage}}))
	}
	final := object{"input_tokens": in, "output_tokens": out, "cache_read_input_tokens": cached, "cache_creation_input_tokens": w.IntN(2) * 40}
	with1 := func(output int) object {
		u := maps.Clone(final)
		u["output_tokens"] = output
		return u
	}
	switch w.IntN(6) {
	case 0: // never final
		w.unended[id] = true
		add(nil, with1(1))
		add(nil, with1(w.IntN(9)))
	case 1: // all final
		add("end_turn", final)
		add("end_turn", final)
	case 2: // a gateway's estimate
		add(nil, object{"input_tokens": 9000, "output_tokens": 1})
		f.lines[len(f.lines)-1]["estimate"] = true
		add("tool_use", final)
	case 3: // with an advisor
		u := maps.Clone(final)
		u["iterations"] = []object{{"type": "advisor_message", "model": "advisor", "input_tokens": 7, "output_tokens": 3}}
		add("end_turn", u)
	case 4: // with a prompt between the lines
		add(nil, with1(2))
		f.lines = append(f.lines, w.line("user", with, object{"message": object{"content": "between"}}))
		add("end_turn", final)
	default:
		add(nil, with1(1))
		add("end_turn", final)
	}
}

// encoded returns the lines of a file. Some are glued, and there are some broken ones.
func (f *generatedFile) encoded(r *rand.Rand) [][]byte {
	var lines [][]byte
	for _, o := range f.lines {
		b, err := json.Marshal(o)
		if err != nil {
			panic(err)
		}
		switch {
		case len(lines) > 0 && r.IntN(20) == 0:
			lines[len(lines)-1] = append(lines[len(lines)-1], b...)
			continue
		case r.IntN(20) == 0:
			lines = append(lines, []byte(`{"type":"assis`))
		}
		lines = append(lines, b)
	}
	return lines
}
