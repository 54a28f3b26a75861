package transcripttest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// addWork adds hook runs, background work, and what was done with Git and with files,
// to a session and, with copies, to a fork of it. Its random numbers are its own.
func (g *generator) addWork(k *Session) {
	w := generator{
		Rand:    rand.New(rand.NewPCG(uint64(len(k.Lines)), 1)), //nolint:gosec // as in Generate
		Options: g.Options, first: &Session{ID: k.ID + "w"},
	}
	before := len(k.Lines)
	for range 1 + w.IntN(5) {
		w.work(k)
	}
	if !g.Copies || w.often() {
		return
	}
	fork := g.newSession(k.ID+"-work", k.ID+"-work", k.CWD, k.Seconds)
	fresh := w.often()
	for i, e := range k.Lines[before:] {
		if e.Session = fork.ID; fresh {
			e.UUID = fmt.Sprintf("%s/%d", fork.Name, i)
		}
		fork.Lines = append(fork.Lines, e)
	}
	w.work(fork)
	g.tree[fmt.Sprintf("-home-dev-fork/%s.jsonl", fork.ID)] = fork.String()
}

func (g *generator) work(k *Session) {
	switch g.IntN(4) {
	case 0:
		k.Line("pr-link", `,"prUrl":"https://git.example/%s/%d"`, g.first.ID, g.IntN(3))
	case 1:
		g.fileCall(k)
	case 2:
		g.hookAttachment(k, g.id("toolu"), pick(g, "PreToolUse", "PostToolUse", "Invented"), "lint", g.IntN(3000))
	default:
		g.stopHooks(k)
	}
}

// fileCall adds a tool call for a file, and often a result about background work or a
// commit.
func (g *generator) fileCall(k *Session) {
	id := g.callID(0)
	input := fmt.Sprintf(`{%q:"/src/%d"}`, pick(g, "file_path", "notebook_path"), g.IntN(4))
	k.Line("assistant", `,"requestRef":%q,"message":{"content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]}`, g.id("req"), id, pick(g, "Read", "Edit", "Write", "Bash"), input)
	stated := pick(g, `{"backgroundTaskId":"b1"}`, `{"status":"async_launched"}`, `{}`, fmt.Sprintf(`{"gitOperation":{"commit":{"sha":"%s%d"}}}`, g.first.ID, g.IntN(4)))
	k.Line("user", `,"message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":"x"}]},"toolUseResult":%s`, id, stated)
}

// stopHooks adds the hook runs at the end of a turn: a summary, mostly after
// attachments about some of them.
func (g *generator) stopHooks(k *Session) {
	trigger, event := g.id("stop"), "Stop"
	if k.Side {
		event = "SubagentStop"
	}
	var infos, errors []string
	for i := range 1 + g.IntN(3) {
		command, took := pick(g, "test", "lint", fmt.Sprint("say ", i)), g.IntN(2500)
		infos = append(infos, fmt.Sprintf(`{"command":%q,"durationMs":%d}`, command, took))
		if len(infos) == i+1 && g.often() && !strings.Contains(strings.Join(infos[:i], " "), command) {
			errors = append(errors, g.hookAttachment(k, trigger, event, command, took)...)
		}
	}
	for _, text := range []string{`"Failed with non-blocking status code: x"`, `"[lint]: no"`} {
		if g.seldom() && len(errors) < len(infos) {
			errors = append(errors, text)
		}
	}
	if !g.seldom() {
		k.Line("system", `,"subtype":"stop_hook_summary","toolUseID":%q,"hookInfos":[%s],"hookErrors":[%s]`, trigger, strings.Join(infos, ","), strings.Join(errors, ","))
	}
}

// hookAttachment adds a hook run, and returns its error as in a summary.
func (g *generator) hookAttachment(k *Session, trigger, event, command string, took int) (failure []string) {
	outcome := pick(g, "hook_success", "hook_success", "hook_non_blocking_error", "hook_error_during_execution")
	k.Line("attachment", `,"attachment":{"type":%q,"hookEvent":%q,"hookName":%q,"toolUseID":%q,"command":%q,"durationMs":%d}`,
		outcome, event, event, trigger, command, took)
	if outcome == "hook_success" {
		return nil
	}
	return []string{`"Failed with non-blocking status code: y"`}
}
