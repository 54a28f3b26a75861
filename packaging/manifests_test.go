package packaging

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

// The files for Homebrew and Scoop follow from the checksums that a release publishes.
func TestManifests(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the script needs GNU tools")
	}
	dir := t.TempDir()
	sums := filepath.Join(dir, "SHA256SUMS")
	var text strings.Builder
	for i, name := range []string{
		"install.sh", "ccwatchd_1.2.3-1_amd64.deb", "ccwatchd-1.2.3.linux-amd64.cdx.json",
		"ccwatchd-1.2.3.linux-amd64.tar.gz", "ccwatchd-1.2.3.linux-arm64.tar.gz",
		"ccwatchd-1.2.3.darwin-amd64.tar.gz", "ccwatchd-1.2.3.darwin-arm64.tar.gz",
		"ccwatchd-1.2.3.windows-amd64.zip", "ccwatchd-1.2.3.windows-arm64.zip",
	} {
		fmt.Fprintf(&text, "%064x  %s\n", i, name)
	}
	write(t, sums, text.String())
	templates := filetest.Read(t, "manifests") + filetest.Read(t, "homebrew/ccwatchd.rb") + filetest.Read(t, "scoop/ccwatchd.json")
	if !strings.Contains(templates, "Template: ") {
		t.Error("the templates do not say so")
	}
	run := func(version string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "bash", "manifests", sums, filepath.Join(dir, "out"))
		cmd.Env = append(cmd.Environ(), "VERSION="+version)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("1.2.3"); err != nil {
		t.Fatalf("manifests failed: %v\n%s", err, out)
	}
	formula, manifest := filetest.Read(t, filepath.Join(dir, "out", "ccwatchd.rb")), filetest.Read(t, filepath.Join(dir, "out", "ccwatchd.json"))
	for _, want := range []string{
		"\n  version \"1.2.3\"\n",
		fmt.Sprintf("/v1.2.3/ccwatchd-1.2.3.linux-amd64.tar.gz\"\n      sha256 \"%064x\"\n", 3),
		fmt.Sprintf("/v1.2.3/ccwatchd-1.2.3.darwin-arm64.tar.gz\"\n      sha256 \"%064x\"\n", 6),
		// As in the units for launchd.
		"\n    keep_alive successful_exit: false\n", "\n    process_type :background\n",
	} {
		if !strings.Contains(formula, want) {
			t.Errorf("%q is missing in\n%s", want, formula)
		}
	}
	var parsed struct {
		Architecture map[string]struct{ URL, Hash string }
	}
	if err := json.Unmarshal([]byte(manifest), &parsed); err != nil {
		t.Fatal(err)
	}
	if got := parsed.Architecture["arm64"]; !strings.HasSuffix(got.URL, "/v1.2.3/ccwatchd-1.2.3.windows-arm64.zip") || got.Hash != fmt.Sprintf("%064x", 8) {
		t.Errorf("got %+v for arm64", got)
	}
	if strings.Contains(formula+manifest, "Template") {
		t.Errorf("what was made from a template claims to be one:\n%s\n%s", formula, manifest)
	}
	if out, err := run("1.2.4"); err == nil || !strings.Contains(out, "no checksum for the lines above") {
		t.Errorf("checksums of another version: got error %v, output %q", err, out)
	}
}
