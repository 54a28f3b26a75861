package main

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"testing"
)

func TestCcusagePackage(t *testing.T) {
	for _, test := range []struct{ goos, goarch, want string }{
		{"linux", "amd64", "@ccusage/ccusage-linux-x64"},
		{"linux", "arm64", "@ccusage/ccusage-linux-arm64"},
		{"darwin", "arm64", "@ccusage/ccusage-darwin-arm64"},
		{"windows", "amd64", "@ccusage/ccusage-win32-x64"},
		{"freebsd", "amd64", ""},
		{"linux", "riscv64", ""},
	} {
		got, err := ccusagePackage(test.goos, test.goarch)
		if got != test.want || (err == nil) != (test.want != "") {
			t.Errorf("%s/%s: %q, error %v, want %q", test.goos, test.goarch, got, err, test.want)
		}
	}
}

// Without a network, the ccusage that was installed before will do.
func TestCcusageOfBefore(t *testing.T) {
	if _, err := ccusagePackage(runtime.GOOS, runtime.GOARCH); err != nil {
		t.Skip(err)
	}
	install(t, "npm")
	var progress bytes.Buffer
	w := workshop{cache: t.TempDir(), progress: &progress}
	binary, err := w.ccusage(t.Context(), "latest")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(binary); err != nil || info.Mode().Perm()&0o111 == 0 {
		t.Errorf("what was installed cannot be executed: %v, error %v", info, err)
	}

	t.Setenv(offline, "1")
	again, err := w.ccusage(t.Context(), "latest")
	if err != nil || again != binary || !strings.Contains(progress.String(), "taking the ccusage of before: run npm: exit status 1: failed as told") {
		t.Errorf("%s, error %v, want %s; progress:\n%s", again, err, binary, &progress)
	}
	if _, err := w.ccusage(t.Context(), "20.0.0"); err == nil {
		t.Error("no error for a version that is not there")
	}
}
