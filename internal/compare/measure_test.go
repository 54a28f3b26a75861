package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
)

func TestProgramsRunInTurn(t *testing.T) {
	startPrograms(t)
	self := executablePath(t)
	var order []string
	fake := func(name string, args ...string) *program {
		return &program{name: name, command: func(ctx context.Context) *exec.Cmd {
			order = append(order, name)
			return exec.CommandContext(ctx, self, args...)
		}}
	}
	quiet, slow, counting := fake("quiet", "say", "x"), fake("slow", "say", "x"), fake("counting", "say", "12")
	failing, unreadable := fake("failing", "fail"), fake("unreadable", "say", "x")
	slow.once = true
	counting.totals = func(r io.Reader) (tokens, error) {
		var n int64
		_, err := fmt.Fscan(r, &n)
		return tokens{Input: n}, err
	}
	unreadable.totals = func(io.Reader) (tokens, error) { return tokens{}, errors.New("parse it") }

	var progress strings.Builder
	m := measurement{
		programs: []*program{quiet, failing, slow, unreadable, counting},
		rounds:   2,
		progress: &progress,
	}
	m.run(t.Context())

	wantOrder := []string{"quiet", "failing", "unreadable", "counting", "quiet", "slow", "counting", "quiet", "counting"}
	if !slices.Equal(order, wantOrder) {
		t.Errorf("order %v, want %v", order, wantOrder)
	}
	for _, test := range []struct {
		p       *program
		samples int
		failure string
	}{
		{quiet, 2, ""},
		{slow, 1, ""},
		{counting, 2, ""},
		{failing, 0, "exit status 1: failed as told"},
		{unreadable, 0, "parse it"},
	} {
		said := ""
		if test.p.failure != nil {
			said = test.p.failure.Error()
		}
		if len(test.p.samples) != test.samples || !strings.HasSuffix(said, test.failure) || (said == "") != (test.failure == "") {
			t.Errorf("%s: %d samples, failure %q, want %d and %q", test.p.name, len(test.p.samples), said, test.samples, test.failure)
		}
	}
	if counting.tokens == nil || counting.tokens.Input != 12 || quiet.tokens != nil {
		t.Errorf("tokens %v and %v, want 12 and none", counting.tokens, quiet.tokens)
	}
	for _, want := range []string{"warm-up: quiet took ", "round 1 of 2: slow took ", "warm-up: failing failed: "} {
		if !strings.Contains(progress.String(), "compare: "+want) {
			t.Errorf("progress lacks %q:\n%s", want, &progress)
		}
	}
}

// A program that is known to need much must be seen to need it.
func TestCost(t *testing.T) {
	startPrograms(t)
	memory := ownPeak() + 64<<20
	s, out, err := cost(exec.CommandContext(t.Context(), executablePath(t), "use", fmt.Sprint(memory)), true)
	if err != nil || string(out) != "used" {
		t.Fatalf("output %q, error %v", out, err)
	}
	if s.wall <= 0 || s.cpu <= 0 {
		t.Errorf("it took %v and %v of CPU", s.wall, s.cpu)
	}
	if runtime.GOOS == "windows" {
		if s.peak != 0 {
			t.Errorf("a peak of %d where it cannot be known", s.peak)
		}
		return
	}
	if s.peak < memory || s.peak > 16*memory {
		t.Errorf("a peak of %d for %d", s.peak, memory)
	}
	if runtime.GOOS == "linux" && (s.floor < 1<<20 || s.atFloor()) {
		t.Errorf("a floor of %d for a peak of %d", s.floor, s.peak)
	}
}

// Linux counts the memory of who starts a program as the program's own, which
// is why there is a floor. When this fails, it may no longer be needed.
func TestFloor(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux does so")
	}
	startPrograms(t)
	large := make([]byte, 64<<20)
	touch(large)
	s, _, err := cost(exec.CommandContext(t.Context(), executablePath(t), "say", "x"), false)
	if err != nil {
		t.Fatal(err)
	}
	if s.floor < int64(len(large)) || !s.atFloor() {
		t.Errorf("a peak of %d with a floor of %d", s.peak, s.floor)
	}
	runtime.KeepAlive(large)
}

func TestField(t *testing.T) {
	const text = "processor\t: 0\nmodel name\t: A: CPU\n\nmodel name\t: B\nVmHWM:\t   12345 kB\n"
	for name, want := range map[string]string{"model name": "A: CPU", "VmHWM": "12345 kB", "model": ""} {
		if got := field([]byte(text), name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
