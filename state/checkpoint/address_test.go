package checkpoint

import (
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// The address is that of the process that holds the lock.
func TestAddress(t *testing.T) {
	dir := t.TempDir()
	want := func(when string, want Address) {
		t.Helper()
		if got, ok := ReadAddress(dir); got != want || ok != (want != Address{}) {
			t.Errorf("%s: got %v, %v, want %v", when, got, ok, want)
		}
	}
	want("before", Address{})
	s := open(t, dir)
	ours, later := Address{"http://localhost:10230", "a"}, Address{"http://localhost:10231", "b"}
	for _, a := range []Address{later, ours} {
		if err := s.SetAddress(a); err != nil {
			t.Fatal(err)
		}
		want("set", a)
	}
	if got := mode(t, filepath.Join(dir, addressName)); runtime.GOOS != "windows" && got != 0o600 {
		t.Errorf("the address has mode %o", got)
	}
	closeStore(t, s)
	want("after a clean stop", Address{})

	filetest.Write(t, filepath.Join(dir, addressName), `{"url":"http://localhost:1","instance":"killed"}`)
	want("after a crash", Address{"http://localhost:1", "killed"})
	pid := filepath.Join(dir, pidName)
	filetest.Write(t, pid, strconv.Itoa(endedProcess(t)))
	want("of a process that does not exist", Address{})
	filetest.Write(t, pid, strconv.Itoa(os.Getppid()))
	want("of another process that exists", Address{"http://localhost:1", "killed"})
	open(t, dir)
	want("of another process", Address{})
}

// endedProcess returns the pid of a process that has ended.
func endedProcess(t *testing.T) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^$")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// An interrupted SetAddress leaves no file for ever: its temporary file has the name of
// other temporary files.
func TestInterruptedSetAddress(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	makeDirectory(t, filepath.Join(dir, addressName)) // the rename fails
	if err := s.SetAddress(Address{"http://localhost:10230", "a"}); err == nil {
		t.Fatal("SetAddress returned nil")
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if name := e.Name(); strings.HasPrefix(name, snapshotName) && !isTemporary(name) {
			t.Errorf("left %s, which is neither temporary nor of the state", name)
		}
	}
}

// Reacquire writes the address again. A process that has lost the directory changes
// nothing of its new holder.
func TestAddressOfLostDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open lock cannot be removed")
	}
	dir := filepath.Join(t.TempDir(), "state")
	s := open(t, dir)
	ours, theirs := Address{"http://localhost:10230", "a"}, Address{"http://localhost:10231", "b"}
	if err := s.SetAddress(ours); err != nil {
		t.Fatal(err)
	}
	removeAll(t, dir)
	if _, err := s.Reacquire(); err != nil {
		t.Fatal(err)
	}
	if got, ok := ReadAddress(dir); !ok || got != ours {
		t.Errorf("after Reacquire: got %v, %v", got, ok)
	}
	if err := os.Remove(filepath.Join(dir, lockName)); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).SetAddress(theirs); err != nil {
		t.Fatal(err)
	}
	if err := s.SetAddress(ours); err == nil {
		t.Error("SetAddress without the lock returned nil")
	}
	closeStore(t, s)
	if got, ok := ReadAddress(dir); !ok || got != theirs {
		t.Errorf("after Close of the first: got %v, %v", got, ok)
	}
}

// Only a complete address on this machine is one.
func TestDamagedAddress(t *testing.T) {
	name, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for text, want := range map[string]bool{
		"": false, "{": false, `[]`: false, `{"url":"http://localhost:1"}`: false,
		addressText(""):                                                     false,
		addressText("localhost:1"):                                          false,
		addressText("file://localhost/etc/passwd"):                          false,
		addressText("http://user@localhost:1"):                              false,
		addressText("http://localhost:1/path"):                              false,
		addressText("http://192.0.2.1:1"):                                   false,
		addressText("http://example.com:1"):                                 false,
		addressText("http://localhost.example.com:1"):                       false,
		addressText("http://localhost:1") + strings.Repeat(" ", maxAddress): false,
		addressText("http://localhost:1"):                                   true,
		addressText("https://127.0.0.2:1"):                                  true,
		addressText("http://[::1]:1"):                                       true,
		addressText("http://" + name + ":1"):                                true,
	} {
		filetest.Write(t, filepath.Join(dir, addressName), text)
		if a, ok := ReadAddress(dir); ok != want || ok == (a == Address{}) {
			t.Errorf("%.80q: got %v, %v", text, a, ok)
		}
	}
}

func addressText(url string) string { return `{"url":"` + url + `","instance":"a"}` }

// Addresses of interfaces are on this machine.
func TestAddressOfInterface(t *testing.T) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if network, ok := a.(*net.IPNet); ok && !isLocal("http://"+net.JoinHostPort(network.IP.String(), "1")) {
			t.Errorf("%v is not local", a)
		}
	}
}
