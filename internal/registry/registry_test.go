package registry

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/internal/opendir"
	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// newRegistry writes files into the registry of a new directory of Claude Code.
func newRegistry(t *testing.T, files map[string]string) (config string) {
	t.Helper()
	config = t.TempDir()
	for name, content := range files {
		filetest.Write(t, filepath.Join(config, "sessions", name), content)
	}
	return config
}

func TestRead(t *testing.T) {
	config := newRegistry(t, map[string]string{
		"10.json": `{"pid":10,"sessionId":"a","cwd":"/p","startedAt":1790000000000,"status":"busy","kind":"interactive"}`,
		"11.json": `{"pid":11,"sessionId":"b","startedAt":1790000000000,"status":"idle"}`,
		"12.json": `{"pid":12,"sessionId":"c","status":"waiting"}`,
		"13.json": `{"pid":13,"sessionId":"d","startedAt":-5}`,
		"14.json": `{"pid":14,"sessionId":"a"}`,
		"15.json": `{"pid":15,"sessionId":"gone"}`,
		"16.json": `{"pid":-1,"sessionId":"group"}`,
		"17.json": `{"pid":0,"sessionId":"own group"}`,
		"18.json": `{"pid":18}`,
		"19.json": `{"pid":"19","sessionId":"text"}`,
		"20.json": `{"pid":20,"sessionId":"` + strings.Repeat("x", 129) + `"}`,
		"21.json": `{"pid":21,"sessionId":"large","x":"` + strings.Repeat("x", maxSize) + `"}`,
		"28.json": `{"pid":28,"sessionId":"padded"}` + strings.Repeat(" ", maxSize),
		"22.json": `{"pid":22,"sessionId":"torn`,
		"23.json": `[]`, "24.json": ``, "25.key": `{"pid":25,"sessionId":"no"}`,
		"26.json/27.json": `{"pid":27,"sessionId":"below"}`,
	})
	got, err := read("", config, host{exists: func(pid int) bool {
		if pid <= 0 {
			t.Errorf("asked for the process %d", pid)
		}
		return pid != 15
	}})
	started := time.UnixMilli(1790000000000)
	want := []Session{{"a", started, true}, {"b", started, false}, {"c", time.Time{}, true}, {"d", time.Time{}, false}, {"a", time.Time{}, false}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// Links are not followed, wherever they lead.
func TestLinks(t *testing.T) {
	elsewhere := newRegistry(t, map[string]string{"1.json": `{"pid":1,"sessionId":"elsewhere"}`})
	config := newRegistry(t, map[string]string{"2.txt": `{"pid":2,"sessionId":"here"}`})
	for to, at := range map[string]string{
		filepath.Join(elsewhere, "sessions", "1.json"): "1.json", "2.txt": "2.json", "nowhere": "3.json",
	} {
		if err := os.Symlink(to, filepath.Join(config, "sessions", at)); err != nil {
			t.Skip("no symbolic links on this system:", err)
		}
	}
	always := host{exists: func(int) bool { return true }}
	if got, err := read("", config, always); len(got) != 0 || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
	linked := t.TempDir()
	if err := os.Symlink(filepath.Join(elsewhere, "sessions"), filepath.Join(linked, "sessions")); err != nil {
		t.Fatal(err)
	}
	if got, err := read("", linked, always); len(got) != 0 || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a linked directory: got %v, %v", got, err)
	}
}

// A registry that a user replaced by a link to another user's registry is not read.
func TestRegistryOfAnother(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change owners; package opendir tests the rule")
	}
	home := t.TempDir()
	his, link := newRegistry(t, map[string]string{"1.json": `{"pid":1,"sessionId":"his"}`}), filepath.Join(home, "alice")
	for _, err := range []error{os.Symlink(his, link), os.Lchown(his, 10_002, 0), os.Lchown(link, 10_001, 0)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	always := host{exists: func(int) bool { return true }}
	if got, err := read(home, link, always); got != nil || !errors.Is(err, opendir.ErrOwner) {
		t.Errorf("got %v, %v, want %v", got, err, opendir.ErrOwner)
	}
	if got, err := read(link, link, always); len(got) != 1 || err != nil {
		t.Errorf("a link of the configuration: got %v, %v", got, err)
	}
}

// A process is identified by its number, the domain of the number, and its start.
func TestProcessOfAnother(t *testing.T) {
	own := host{
		domain: "linux:4e75:pid:[4026531836]",
		exists: func(int) bool { return true },
		startedAt: func(pid int, stated string) bool {
			if pid == 2 {
				return true // hidden
			}
			return stated == "1790000"
		},
	}
	for _, tt := range []struct {
		name, file string
		want       bool
	}{
		{"an old version", `{"pid":1}`, true},
		{"its own", `{"pid":1,"procStart":"1790000","pidDomain":"linux:4e75:pid:[4026531836]"}`, true},
		{"another program has the number", `{"pid":1,"procStart":"1234","pidDomain":"linux:4e75:pid:[4026531836]"}`, false},
		{"another program, a version without domains", `{"pid":1,"procStart":"1234"}`, false},
		{"a hidden process", `{"pid":2,"procStart":"1234"}`, true},
		{"a container", `{"pid":1,"procStart":"1790000","pidDomain":"linux:4e75:pid:[4026532999]"}`, false},
		{"a container without a machine id", `{"pid":1,"pidDomain":"linux::pid:[4026532999]"}`, false},
		{"another machine with the same home directory", `{"pid":1,"pidDomain":"linux:0bad:pid:[4026531836]"}`, false},
		{"a machine without /proc", `{"pid":1,"procStart":"1790000","pidDomain":"linux:4e75:"}`, true},
		{"macOS", `{"pid":1,"procStart":"Thu Sep 10 08:31:58 2026","pidDomain":"darwin"}`, false},
		{"macOS, a version without domains", `{"pid":1,"procStart":"Thu Sep 10 08:31:58 2026"}`, false},
		{"Windows", `{"pid":2,"procStartFt":"134344744676615681","pidDomain":"win32:msi"}`, false},
	} {
		config := newRegistry(t, map[string]string{"1.json": strings.Replace(tt.file, "{", `{"sessionId":"s",`, 1)})
		got, err := read("", config, own)
		if len(got) == 1 != tt.want || err != nil {
			t.Errorf("%s: got %v, %v, want a session: %v", tt.name, got, err, tt.want)
		}
	}
}

// The identity of this process, and of an ended process whose number is in use again.
func TestThisHost(t *testing.T) {
	h := thisHost()
	started := startOf(t, os.Getpid())
	own := process{PID: os.Getpid(), SessionID: "s", Domain: h.domain, ProcStart: started}
	if !h.runs(&own) {
		t.Errorf("this process does not run: %+v", own)
	}
	other := own
	other.ProcStart = "1"
	if started != "" && h.runs(&other) {
		t.Errorf("a process that started at another time runs: %+v", other)
	}
}

func TestNoRegistry(t *testing.T) {
	for _, config := range []string{t.TempDir(), filepath.Join(t.TempDir(), "missing")} {
		if got, err := Read("", config); got != nil || !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("got %v, %v", got, err)
		}
	}
}

// Of many files, the first by name are read.
func TestManyFiles(t *testing.T) {
	files := make(map[string]string)
	for i := range 2 * maxFiles {
		files[fmt.Sprintf("%03d.json", i)] = fmt.Sprintf(`{"pid":%d,"sessionId":"s"}`, i+1)
	}
	var pids []int
	got, err := read("", newRegistry(t, files), host{exists: func(pid int) bool {
		pids = append(pids, pid)
		return true
	}})
	if len(got) != maxFiles || err != nil || !slices.IsSorted(pids) || pids[len(pids)-1] != maxFiles {
		t.Errorf("got %d sessions of the processes %v, %v", len(got), pids, err)
	}
}

func TestDir(t *testing.T) {
	for projects, want := range map[string]string{"/home/dev/.claude/projects": "/home/dev/.claude", "/srv/transcripts": ""} {
		got, ok := Dir(filepath.FromSlash(projects))
		if ok != (want != "") || ok && filepath.ToSlash(got) != want {
			t.Errorf("%s: got %s, %v", projects, got, ok)
		}
	}
}

func TestExists(t *testing.T) {
	if !exists(os.Getpid()) || !exists(os.Getppid()) {
		t.Error("this process or its parent does not exist")
	}
	own := uint64(os.Getpid())
	for _, id := range []uint64{1<<32 + own, 1<<40 + own} {
		if pid := int(id); strconv.IntSize > 32 && exists(pid) {
			t.Errorf("a process with the id %d exists", pid)
		}
	}
	ended := exec.Command(os.Args[0], "-test.run", "^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	if exists(ended.Process.Pid) {
		t.Error("a process exists after its end")
	}
}

// startOf returns the start of a process as Claude Code states it, or "" if this system
// has no program that prints it.
func startOf(t *testing.T, pid int) string {
	t.Helper()
	number := strconv.Itoa(pid)
	if stat, err := os.ReadFile("/proc/" + number + "/stat"); err == nil && runtime.GOOS == "linux" {
		return strings.Fields(string(stat))[21]
	}
	ps := exec.Command("ps", "-o", "lstart=", "-p", number)
	ps.Env = append(os.Environ(), "LC_ALL=C", "TZ=UTC")
	if out, err := ps.Output(); err == nil && runtime.GOOS == "darwin" {
		return strings.TrimSpace(string(out))
	}
	return ""
}
