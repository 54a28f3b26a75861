package transcripttest

import (
	"fmt"
	"strings"
)

// fork adds sessions in other projects that begin with a copy of another, or of a fork.
func (g *generator) fork(of *Session) {
	for i := range g.IntN(3) {
		id := fmt.Sprintf("%s-fork%d", of.ID, i)
		k := g.newSession(id, id, "/home/dev/"+pick(g, "app", "web", "fork"), of.Seconds)
		fresh := g.often()
		for j, e := range of.Lines[:g.cut(of.Lines)] {
			e.Session, e.CWD = k.ID, k.CWD
			if fresh {
				e.UUID = fmt.Sprintf("%s/%d", k.Name, j)
			}
			if e.unfinished != nil && g.often() { // only a copy may have more output
				r := *e.unfinished
				r.Out = 5000
				e.Rest = r.rest()
			}
			k.Lines = append(k.Lines, e)
		}
		g.turn(k)
		g.tree[fmt.Sprintf("-home-dev-fork/%s.jsonl", k.ID)] = g.ended(k.String())
		if g.often() {
			of = k
		}
	}
}

// cut returns the number of lines that a fork copies. No fork begins after an estimate.
func (g *generator) cut(lines []Line) int {
	if g.often() {
		return len(lines)
	}
	n := g.IntN(len(lines) + 1)
	for n > 0 && lines[n-1].estimate {
		n++
	}
	return n
}

const interrupted = "[Request interrupted by user]"

// sideJob adds a sub-agent of Claude Code itself, which repeats its session.
func (g *generator) sideJob(of *Session, dir string) {
	if g.often() {
		return
	}
	k := g.newSession(of.ID+"-side", of.ID, of.CWD, of.Seconds)
	k.Side = true
	for _, e := range of.Lines {
		// A copy of an interruption in a fork and one in a side job are the same
		// only by way of the original.
		if e.Side = true; !strings.Contains(e.Rest, interrupted) {
			k.Lines = append(k.Lines, e)
		}
	}
	k.Reply(Reply{ID: g.id("msg"), In: 7, Out: 70, Stop: "end_turn"})
	g.tree[fmt.Sprintf("%s%s/subagents/agent-a%s-1.jsonl", dir, of.ID, pick(g, "compact", "side_question", "prompt_suggestion"))] = k.String()
}

// replay appends the whole session again, often with new uuids, as a resume once did.
func (g *generator) replay(k *Session) {
	fresh := g.often()
	for i, e := range k.Lines {
		if fresh {
			e.UUID = fmt.Sprintf("%s/again%d", k.Name, i)
		}
		k.Lines = append(k.Lines, e)
	}
}
