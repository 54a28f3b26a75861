package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ccwatchd/ccwatchd/test/filetest"
)

func TestInstall(t *testing.T) {
	const inHome = ".local/bin/ccwatchd"
	usual := []string{"curl", "sha256sum"}
	r := serveReleases(t, "1.2.3", "1.2.2")
	for name, test := range map[string]struct {
		system, machine string
		tools           []string
		fake            map[string]string
		args, env       []string
		path, want      string // of the program; its output
	}{
		"linux amd64":   {"Linux", "x86_64", usual, nil, nil, nil, inHome, "1.2.3 linux-amd64"},
		"linux arm64":   {"Linux", "aarch64", usual, nil, nil, nil, inHome, "1.2.3 linux-arm64"},
		"linux armv7":   {"Linux", "armv7l", usual, nil, nil, nil, inHome, "1.2.3 linux-armv7"},
		"darwin arm64":  {"Darwin", "arm64", usual, nil, nil, nil, inHome, "1.2.3 darwin-arm64"},
		"darwin amd64":  {"Darwin", "x86_64", usual, nil, nil, nil, inHome, "1.2.3 darwin-amd64"},
		"rosetta":       {"Darwin", "x86_64", usual, map[string]string{"sysctl": "echo 1"}, nil, nil, inHome, "1.2.3 darwin-arm64"},
		"freebsd amd64": {"FreeBSD", "amd64", usual, nil, nil, nil, inHome, "1.2.3 freebsd-amd64"},
		"wget, shasum":  {"Linux", "x86_64", []string{"wget", "shasum", "perl"}, nil, nil, nil, inHome, "1.2.3 linux-amd64"},
		"fetch, sha256": {
			"FreeBSD", "arm64", nil, map[string]string{
				"fetch":  `PATH=/usr/bin:/bin curl -fs -o "$3" "$4"`,
				"sha256": `PATH=/usr/bin:/bin sha256sum "$2" | cut -d ' ' -f 1`,
			}, nil, nil, inHome, "1.2.3 freebsd-arm64",
		},
		"version":           {"Linux", "x86_64", usual, nil, []string{"--version=v1.2.2"}, nil, inHome, "1.2.2 linux-amd64"},
		"version from env":  {"Linux", "x86_64", usual, nil, nil, []string{"CCWATCHD_VERSION=1.2.2"}, inHome, "1.2.2 linux-amd64"},
		"argument wins":     {"Linux", "x86_64", usual, nil, []string{"--version", "1.2.3"}, []string{"CCWATCHD_VERSION=1.2.2"}, inHome, "1.2.3 linux-amd64"},
		"directory":         {"Linux", "x86_64", usual, nil, []string{"--dir", "my tools/bin"}, nil, "my tools/bin/ccwatchd", "1.2.3 linux-amd64"},
		"directory, equals": {"Linux", "x86_64", usual, nil, []string{"--dir=bin"}, nil, "bin/ccwatchd", "1.2.3 linux-amd64"},
		"directory in env":  {"Linux", "x86_64", usual, nil, nil, []string{"CCWATCHD_INSTALL_DIR=bin"}, "bin/ccwatchd", "1.2.3 linux-amd64"},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInstaller(t, r.URL, test.system, test.machine, test.tools...)
			for name, script := range test.fake {
				i.addTool(t, name, script)
			}
			i.env = append(i.env, test.env...)
			out, err := i.run(t, filetest.Read(t, "install.sh"), test.args...)
			if err != nil {
				t.Fatalf("install.sh failed: %v\n%s", err, out)
			}
			if got := i.files(t); !slices.Equal(got, []string{test.path}) {
				t.Errorf("got files %q, want %q", got, test.path)
			}
			program := filepath.Join(i.home, test.path)
			got, err := exec.CommandContext(t.Context(), program).Output()
			if err != nil || strings.TrimSpace(string(got)) != test.want {
				t.Errorf("got program %q (%v), want %q", got, err, test.want)
			}
			version, _, _ := strings.Cut(test.want, " ")
			for _, want := range []string{
				"Installed ccwatchd " + version + " as " + program, "export PATH=\"" + filepath.Dir(program),
			} {
				if !strings.Contains(out, want) {
					t.Errorf("%q not found in the output:\n%s", want, out)
				}
			}
		})
	}
}

// The hint at the service is a command that works on the system.
func TestInstallExplainsService(t *testing.T) {
	const program = "HOME/.local/bin/ccwatchd"
	r := serveReleases(t, "1.2.3")
	for name, test := range map[string]struct {
		system, tool     string
		install, restart string
	}{
		"macOS":   {"Darwin", "", "To run it as a service: " + program + " service install\n", ": " + program + " service restart\n"},
		"systemd": {"Linux", "systemctl", "To run it as a service: " + program + " service install\n", ": " + program + " service restart\n"},
		"FreeBSD": {"FreeBSD", "", "To run it: " + program + "\n", "To run it: " + program + "\n"},
		"none":    {"Linux", "", "To run it: " + program + "\n", "To run it: " + program + "\n"},
	} {
		t.Run(name, func(t *testing.T) {
			i := newInstaller(t, r.URL, test.system, "arm64", "curl", "sha256sum")
			for tool := range strings.FieldsSeq(test.tool) {
				i.addTool(t, tool, "exit 0")
			}
			for _, want := range []string{test.install, test.restart} {
				out, err := i.run(t, filetest.Read(t, "install.sh"))
				out = strings.ReplaceAll(out, i.home, "HOME")
				if err != nil || !strings.HasSuffix(out, want) {
					t.Errorf("got output %q, error %v, want %q", out, err, want)
				}
			}
		})
	}
}

// An upgrade replaces the program, keeps other files, and needs no hint about PATH
// if the directory is in it.
func TestInstallUpgrade(t *testing.T) {
	r := serveReleases(t, "1.2.3", "1.2.2")
	i := newInstaller(t, r.URL, "Linux", "x86_64", "curl", "sha256sum")
	i.addTool(t, "systemctl", "exit 0")
	dir := filepath.Join(i.home, ".local", "bin")
	i.env[1] += ":" + dir
	write(t, filepath.Join(dir, "other"), "kept")
	if out, err := i.run(t, filetest.Read(t, "install.sh"), "--version=1.2.2"); err != nil {
		t.Fatalf("install.sh failed: %v\n%s", err, out)
	}
	old, err := os.Stat(filepath.Join(dir, "ccwatchd"))
	if err != nil {
		t.Fatal(err)
	}
	out, err := i.run(t, filetest.Read(t, "install.sh"))
	if err != nil || !strings.Contains(out, ": ccwatchd service restart") || strings.Contains(out, "PATH") {
		t.Errorf("got output %q, error %v", out, err)
	}
	upgraded, err := os.Stat(filepath.Join(dir, "ccwatchd"))
	if err != nil || os.SameFile(old, upgraded) || upgraded.Mode() != 0o755 {
		t.Errorf("the program was not replaced by another file of mode 755: %v, %v", upgraded, err)
	}
	if got, want := i.files(t), []string{".local/bin/ccwatchd", ".local/bin/other"}; !slices.Equal(got, want) {
		t.Errorf("got files %q, want %q", got, want)
	}
}

// An error explains itself, and leaves an installed program and the directory as
// they were.
func TestInstallErrors(t *testing.T) {
	const archive = "/download/v1.2.3/ccwatchd-1.2.3.linux-amd64.tar.gz"
	usual := []string{"curl", "sha256sum"}
	for name, test := range map[string]struct {
		system, machine string
		tools, args     []string
		breakIt         func(r *releases)
		want            string
	}{
		"wrong checksum":      {"Linux", "x86_64", usual, nil, func(r *releases) { r.assets[archive] = []byte("evil") }, "nothing was installed"},
		"missing archive":     {"Linux", "x86_64", usual, nil, func(r *releases) { delete(r.assets, archive) }, "cannot download http"},
		"missing with wget":   {"Linux", "x86_64", []string{"wget", "sha256sum"}, nil, func(r *releases) { delete(r.assets, archive) }, "cannot download http"},
		"missing checksum":    {"Linux", "x86_64", usual, nil, func(r *releases) { r.assets["/latest/download/SHA256SUMS"] = nil }, "release latest has no archive for linux-amd64"},
		"missing release":     {"Linux", "x86_64", usual, []string{"--version=9.9.9"}, nil, "v9.9.9/SHA256SUMS: check the version"},
		"program fails":       {"Linux", "x86_64", usual, nil, func(r *releases) { r.replaceProgram(t, archive, "#!/bin/sh\nexit 1\n") }, "does not run on this system"},
		"unsupported system":  {"SunOS", "x86_64", usual, nil, nil, "no archive for SunOS on amd64"},
		"windows":             {"MINGW64_NT-10.0", "x86_64", usual, nil, nil, "no archive for MINGW64_NT-10.0"},
		"unsupported machine": {"Linux", "riscv64", usual, nil, nil, "no archive for Linux on riscv64"},
		"armv7 on FreeBSD":    {"FreeBSD", "armv7", usual, nil, nil, "no archive for FreeBSD on armv7"},
		"no client":           {"Linux", "x86_64", []string{"sha256sum"}, nil, nil, "curl, wget or fetch is required"},
		"no checksum tool":    {"Linux", "x86_64", []string{"curl"}, nil, nil, "is required to verify"},
		"unknown argument":    {"Linux", "x86_64", usual, []string{"--nonsense"}, nil, "unknown argument --nonsense"},
		"no value":            {"Linux", "x86_64", usual, []string{"--dir"}, nil, "--dir needs a value"},
		"invalid version":     {"Linux", "x86_64", usual, []string{"--version=../x"}, nil, "invalid version ../x"},
		"directory is a file": {"Linux", "x86_64", usual, []string{"--dir=.local/bin/ccwatchd"}, nil, "cannot create .local/bin/ccwatchd"},
	} {
		t.Run(name, func(t *testing.T) {
			r := serveReleases(t, "1.2.3")
			if test.breakIt != nil {
				test.breakIt(r)
			}
			i := newInstaller(t, r.URL, test.system, test.machine, test.tools...)
			installed := filepath.Join(i.home, ".local", "bin", "ccwatchd")
			write(t, installed, "installed before")
			out, err := i.run(t, filetest.Read(t, "install.sh"), test.args...)
			if err == nil || !strings.Contains(out, test.want) {
				t.Errorf("got error %v, output %q, want %q", err, out, test.want)
			}
			if got, err := os.ReadFile(installed); err != nil || string(got) != "installed before" {
				t.Errorf("the installed program was changed: %q, %v", got, err)
			}
			if got := i.files(t); len(got) != 1 {
				t.Errorf("got files %q, want the installed program only", got)
			}
		})
	}
}

// A download that breaks off anywhere must not run anything.
func TestInstallTruncated(t *testing.T) {
	r := serveReleases(t, "1.2.3")
	i := newInstaller(t, r.URL, "Linux", "x86_64", "curl", "sha256sum")
	script := strings.TrimSuffix(filetest.Read(t, "install.sh"), "\n")
	lastLine := strings.LastIndexByte(script, '\n')
	for end := range script {
		if end > lastLine || script[end] == '\n' {
			_, _ = i.run(t, script[:end], "--dir=bin")
		}
	}
	if got := i.files(t); len(got) > 0 || r.requests.Load() > 0 {
		t.Errorf("a truncated script made the files %q and %d requests", got, r.requests.Load())
	}
	if out, err := i.run(t, script, "--dir=bin"); err != nil || len(i.files(t)) != 1 {
		t.Errorf("the whole script failed: %v\n%s", err, out)
	}
}

// install.sh depends on the names and the layout of goreleaser's archives.
func TestInstallMatchesReleases(t *testing.T) {
	var config struct {
		Archives []struct {
			Name string `yaml:"name_template"`
			Wrap bool   `yaml:"wrap_in_directory"`
		}
		Checksum struct {
			Name string `yaml:"name_template"`
		}
		Release struct {
			Extra []struct{ Glob string } `yaml:"extra_files"`
		}
	}
	unmarshal(t, "../.goreleaser.yaml", &config)
	const name = "{{ .ProjectName }}-{{ .Version }}.{{ .Os }}-{{ .Arch }}{{ with .Arm }}v{{ . }}{{ end }}"
	if a := config.Archives; len(a) != 1 || a[0].Name != name || !a[0].Wrap || config.Checksum.Name != "SHA256SUMS" {
		t.Errorf("install.sh does not know archives such as %+v, or %q", a, config.Checksum.Name)
	}
	if !slices.ContainsFunc(config.Release.Extra, func(f struct{ Glob string }) bool { return f.Glob == "packaging/install.sh" }) {
		t.Error("install.sh is not part of a release")
	}
}
