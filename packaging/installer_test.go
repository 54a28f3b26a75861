package packaging

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
)

// releases serves releases under the paths that GitHub uses; the first one is the
// latest.
type releases struct {
	*httptest.Server
	assets   map[string][]byte
	requests atomic.Int64
}

func serveReleases(t *testing.T, versions ...string) *releases {
	t.Helper()
	r := &releases{assets: map[string][]byte{}}
	for _, version := range versions {
		var sums strings.Builder
		for _, platform := range []string{
			"linux-amd64", "linux-arm64", "linux-armv7", "darwin-amd64", "darwin-arm64", "freebsd-amd64", "freebsd-arm64",
		} {
			name := "ccwatchd-" + version + "." + platform
			archive := releaseArchive(t, name, "#!/bin/sh\necho "+version+" "+platform+"\n")
			r.assets["/download/v"+version+"/"+name+".tar.gz"] = archive
			fmt.Fprintf(&sums, "%x  %s.tar.gz\n%x  %s.cdx.json\n", sha256.Sum256(archive), name, 0, name)
		}
		r.assets["/download/v"+version+"/SHA256SUMS"] = []byte(sums.String())
	}
	r.assets["/latest/download/SHA256SUMS"] = r.assets["/download/v"+versions[0]+"/SHA256SUMS"]
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		r.requests.Add(1)
		if asset, ok := r.assets[req.URL.Path]; ok {
			_, _ = w.Write(asset)
			return
		}
		http.NotFound(w, req)
	}))
	t.Cleanup(r.Close)
	return r
}

// releaseArchive returns an archive with the layout that goreleaser produces.
func releaseArchive(t *testing.T, name, program string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	w := tar.NewWriter(z)
	for _, file := range []struct {
		name, text string
		mode       int64
	}{{"LICENSE", "a license", 0o644}, {"ccwatchd", program, 0o755}} {
		h := &tar.Header{Name: name + "/" + file.name, Mode: file.mode, Size: int64(len(file.text)), Uname: "root", Gname: "root"}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(file.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// An installer runs install.sh with a home directory and with tools of its own.
type installer struct {
	sh, home, tools, temp string
	env                   []string
}

// newInstaller finds the tools that install.sh needs, except tools that download and
// verify, and adds a uname that prints the given system.
func newInstaller(t *testing.T, base, system, machine string, tools ...string) *installer {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("install.sh is for Unix")
	}
	i := &installer{home: t.TempDir(), tools: t.TempDir(), temp: t.TempDir()}
	for _, name := range append([]string{"sh", "cat", "chmod", "cut", "grep", "gzip", "mkdir", "mktemp", "mv", "rm", "tar"}, tools...) {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("%s is not installed", name)
		}
		if err := os.Symlink(path, filepath.Join(i.tools, name)); err != nil {
			t.Fatal(err)
		}
	}
	i.sh = filepath.Join(i.tools, "sh")
	i.addTool(t, "uname", `[ "$1" = -s ] && echo `+system+` || echo `+machine)
	i.env = []string{"HOME=" + i.home, "PATH=" + i.tools, "TMPDIR=" + i.temp, "CCWATCHD_BASE_URL=" + base}
	return i
}

func (i *installer) addTool(t *testing.T, name, script string) {
	t.Helper()
	path := filepath.Join(i.tools, name)
	write(t, path, "#!"+i.sh+"\n"+script+"\n")
	if err := os.Chmod(path, 0o755); err != nil {
		t.Fatal(err)
	}
}

// run pipes a script into sh, as the documented command does.
func (i *installer) run(t *testing.T, script string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), i.sh, append([]string{"-s", "--"}, args...)...)
	cmd.Stdin, cmd.Env, cmd.Dir = strings.NewReader(script), i.env, i.home
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// files returns the paths of all files below the home directory and the directory
// for temporary files.
func (i *installer) files(t *testing.T) []string {
	t.Helper()
	found := []string{}
	for _, dir := range []string{i.home, i.temp} {
		err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && !e.IsDir() {
				found = append(found, strings.TrimPrefix(path, dir+"/"))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return found
}

// replaceProgram puts another program into an archive, with a valid checksum.
func (r *releases) replaceProgram(t *testing.T, path, program string) {
	t.Helper()
	old := fmt.Appendf(nil, "%x", sha256.Sum256(r.assets[path]))
	r.assets[path] = releaseArchive(t, strings.TrimSuffix(filepath.Base(path), ".tar.gz"), program)
	const sums = "/latest/download/SHA256SUMS"
	r.assets[sums] = bytes.Replace(r.assets[sums], old, fmt.Appendf(nil, "%x", sha256.Sum256(r.assets[path])), 1)
}
