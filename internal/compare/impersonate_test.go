package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// asProgram makes this test binary behave as the program by whose name it is
// called, so that the tests need none of them, and no network.
const asProgram = "COMPARE_TEST_AS_PROGRAM"

// offline makes npm fail.
const offline = "COMPARE_TEST_OFFLINE"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	if err := impersonate(filepath.Base(os.Args[0]), os.Args[1:]); err != nil {
		fmt.Fprintf(os.Stderr, "not this line\n%v\n", err)
		os.Exit(1)
	}
}

func impersonate(name string, args []string) error {
	last := args[len(args)-1]
	switch {
	case last == "--version":
		return say(name + " 1.2\nby somebody\n")
	case name == "go" && args[0] == "build":
		return copySelf(after(args, "-o"))
	case name == "go":
		return generate(args)
	case name == "npm" && os.Getenv(offline) == "":
		return copySelf(filepath.Join(after(args, "--prefix"), "node_modules", last[:strings.LastIndex(last, "@")], "bin", "ccusage"))
	case name == "git":
		return say("v1-2-g345\n")
	case name == "xargs":
		return xargs(args)
	case name == "ccwatchd" && args[0] == "once" && filepath.Base(last) == "projects":
		return sayFile("exposition.txt")
	case name == "ccusage" && filepath.Base(os.Getenv("CLAUDE_CONFIG_DIR")) == "corpus-7-1000":
		return sayFile("ccusage.json")
	case args[0] == "say":
		return say(last)
	case args[0] == "use":
		n, err := strconv.Atoi(last)
		touch(make([]byte, n))
		return errors.Join(err, say("used"))
	}
	return errors.New("failed as told")
}

func say(text string) error {
	_, err := os.Stdout.WriteString(text)
	return err
}

func sayFile(name string) error {
	text, err := os.ReadFile(filepath.Join("testdata", name))
	return errors.Join(err, say(string(text)))
}

func after(args []string, flag string) string { return args[slices.Index(args, flag)+1] }

// copySelf makes what is "built" or "installed", and as npm does, without
// saying that it can be executed.
func copySelf(name string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	binary, err := os.ReadFile(self)
	if err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if filepath.Base(name) == "ccwatchd" {
		mode = 0o700
	}
	return errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, binary, mode))
}

// generate writes a corpus; with the seed 13 it fails in the middle, with 14 it
// forgets the truth.
func generate(args []string) error {
	projects := filepath.Join(args[len(args)-1], "projects")
	if err := errors.Join(os.Mkdir(projects, 0o700), os.WriteFile(filepath.Join(projects, "s.jsonl"), []byte("one\ntwo\n"), 0o600)); err != nil {
		return err
	}
	seed, size := after(args, "--seed"), after(args, "--size")
	if seed == "13" {
		return errors.New("no luck")
	}
	if seed == "14" {
		return nil
	}
	if size != "1000B" {
		return fmt.Errorf("a size of %s", size)
	}
	truth, err := os.ReadFile(filepath.Join("testdata", "expected.tsv"))
	return errors.Join(err, os.WriteFile(filepath.Join(args[len(args)-1], "expected.tsv"), truth, 0o600))
}

// xargs must be given the one file of the corpus.
func xargs(args []string) error {
	list, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	if args[0] != "-0" || !strings.HasSuffix(string(list), "/projects/s.jsonl\x00") || strings.Count(string(list), "\x00") != 1 {
		return fmt.Errorf("bad list %q", list)
	}
	if args[1] == "jq" {
		return sayFile("jq.json")
	}
	return nil
}

// touch makes the system find memory for a slice.
func touch(b []byte) {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

// startPrograms makes this test binary behave as other programs from now on.
func startPrograms(t *testing.T) {
	t.Helper()
	t.Setenv(asProgram, "1")
	// Otherwise the race detector has each of them sleep for a second at its end.
	t.Setenv("GORACE", "atexit_sleep_ms=0")
}

func executablePath(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return self
}

// install makes the only programs that can be found those that are named, all
// of them impersonated.
func install(t *testing.T, names ...string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("links to programs need a privilege there")
	}
	startPrograms(t)
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for _, name := range names {
		if err := os.Symlink(executablePath(t), filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
}
