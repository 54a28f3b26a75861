package sandbox

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == Probe {
		os.Exit(inside())
	}
	os.Exit(m.Run())
}

// inside writes the files and variables that it sees to the directory at /mnt.
func inside() int {
	if err := Enter(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var d net.Dialer
	d.Timeout = time.Second
	_, remote := d.Dial("tcp", "192.0.2.1:80")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	conn, err := d.Dial("tcp", listener.Addr().String())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	_ = conn.Close()
	bound, err := os.ReadDir("/mnt/bound")
	report := fmt.Sprintln(remote, len(bound), err)
	if _, err := os.Stat("/mnt/bound"); err == nil {
		if err := os.WriteFile("/mnt/report", []byte(report), 0o600); err != nil {
			return 1
		}
		_ = os.WriteFile("/tmp/left", nil, 0o600)
	}
	return 0
}

func TestSandbox(t *testing.T) {
	if err := Available(t.Context()); err != nil {
		t.Skip(err)
	}
	dir, bound := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(bound, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd, err := Box{Dir: dir, At: "/mnt", Binds: map[string]string{"bound": bound}}.Command(t.Context(), Probe)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	report, err := os.ReadFile(filepath.Join(dir, "report"))
	const want = "dial tcp 192.0.2.1:80: connect: network is unreachable 1 <nil>\n"
	if err != nil || string(report) != want {
		t.Errorf("got %q, %v", report, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "tmp/left")); err != nil {
		t.Errorf("a file in /tmp: %v", err)
	}
	if entries, _ := os.ReadDir("/mnt/bound"); len(entries) > 0 {
		t.Error("mounts are visible outside")
	}
}
