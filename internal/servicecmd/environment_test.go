package servicecmd

import (
	"errors"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

func TestEnvironmentCheck(t *testing.T) {
	for _, test := range []struct {
		name         string
		environment  environment
		user, change bool
		want         string // end of the error; "" for none
	}{
		{"systemd, user", environment{manager: systemd, booted: true, session: true}, true, true, ""},
		{"systemd, user root", environment{manager: systemd, booted: true, session: true, root: true}, true, true, ""},
		{"systemd, user with sudo", environment{manager: systemd, booted: true, session: true, root: true, sudo: "alice"}, true, true, "refusing to install a user service for root: run without sudo, or add --system"},
		{"systemd, user root without a session", environment{manager: systemd, booted: true, root: true}, true, true, "refusing to install a user service for root: run without sudo, or add --system"},
		{"systemd, user without a session", environment{manager: systemd, booted: true}, true, false, "sudo loginctl enable-linger USER"},
		{"systemd, system", environment{manager: systemd, booted: true, root: true}, false, true, ""},
		{"systemd, system without root", environment{manager: systemd, booted: true}, false, true, "run with sudo, or use --user"},
		{"systemd, system status", environment{manager: systemd, booted: true}, false, false, ""},
		{"systemd not running", environment{manager: systemd, root: true}, false, false, "systemd is installed, but is not the init system: start ccwatchd from yours"},
		{"container with systemd", environment{manager: systemd, container: true}, true, true, "run ccwatchd as its main process"},
		{"container", environment{manager: "unix-systemv", container: true}, true, true, "run ccwatchd as its main process"},
		{"WSL", environment{manager: "unix-systemv", wsl: true}, true, true, "set systemd=true under [boot] in /etc/wsl.conf, then run in Windows: wsl --shutdown"},
		{"runit", environment{manager: "unix-systemv", root: true}, false, true, "the init system is not supported: start ccwatchd from it"},
		{"no manager", environment{}, false, true, "the init system is not supported: start ccwatchd from it"},
		{"OpenRC", environment{manager: openRC, root: true}, false, true, "install the package, and run: sudo rc-update add ccwatchd && sudo rc-service ccwatchd start"},
		{"FreeBSD", environment{manager: freeBSD}, true, false, "/usr/local/etc/rc.d/ccwatchd, and run: sudo sysrc ccwatchd_runas=\"$USER\" && sudo service ccwatchd enable && sudo service ccwatchd start"},
		{"macOS, user", environment{manager: launchd, session: true}, true, true, ""},
		{"macOS, user without a graphical login", environment{manager: launchd}, true, true, "with sudo and --system the service starts at boot and reads the same sessions"},
		{"macOS, user with sudo", environment{manager: launchd, root: true, sudo: "alice", session: true}, true, true, "refusing to install a user service for root: run without sudo, or add --system"},
		{"macOS, system", environment{manager: launchd, root: true, sudo: "alice"}, false, true, ""},
		{"macOS, system without sudo", environment{manager: launchd, root: true}, false, true, "log in as that user and run with sudo"},
		{"Windows, user", environment{manager: windows}, true, true, "add --system"},
		{"Windows, system", environment{manager: windows, root: true}, false, true, ""},
		{"Windows, system without privileges", environment{manager: windows}, false, true, "open a terminal as administrator"},
	} {
		err := test.environment.check(test.user, test.change)
		ok := err == nil
		if test.want != "" {
			ok = errors.Is(err, errNoService) && strings.HasSuffix(err.Error(), test.want)
		}
		if !ok {
			t.Errorf("%s: got %v, want an error that ends with %q", test.name, err, test.want)
		}
	}
}

func TestPaths(t *testing.T) {
	o := Options{StateDir: "/state/ccwatchd", Env: func(name string) string {
		return map[string]string{"ProgramData": "/ProgramData", "XDG_CONFIG_HOME": "/config"}[name]
	}}
	for _, test := range []struct {
		manager                   string
		user                      bool
		unit, config, state, args string // without a unit there is no such service
	}{
		{systemd, true, "/home/alice/.config/systemd/user/ccwatchd.service", "", "/state/ccwatchd", "/config/ccwatchd/environment"},
		{systemd, false, "/etc/systemd/system/ccwatchd.service", "/etc/ccwatchd/ccwatchd.yml", "/var/lib/ccwatchd", "/etc/default/ccwatchd"},
		{openRC, false, "", "", "", ""},
		{freeBSD, false, "", "", "", ""},
		{launchd, true, "/home/alice/Library/LaunchAgents/ccwatchd.plist", "", "/state/ccwatchd", ""},
		{launchd, false, "/Library/LaunchDaemons/ccwatchd.plist", "", "/home/alice/Library/Application Support/ccwatchd", ""},
		{windows, true, "", "", "", ""},
		{"unix-systemv", false, "", "", "", ""},
	} {
		p, ok := o.pathsOf(test.manager, test.user, account{"alice", "/home/alice"})
		if ok != (test.unit != "") {
			t.Errorf("%s, user %v: got %v, want %v", test.manager, test.user, ok, !ok)
		}
		e := environment{manager: test.manager, booted: true, root: true, sudo: "alice", session: true}
		if !ok && e.check(test.user, false) == nil {
			t.Errorf("%s, user %v: got no error", test.manager, test.user)
		}
		if ok && (p.unit != test.unit || p.config != test.config || p.state != test.state || p.extraArgs != test.args || p.template == "" || p.log == "") {
			t.Errorf("%s, user %v: got %+v, want %+v", test.manager, test.user, p, test)
		}
	}
	if p, ok := o.pathsOf(windows, false, account{"alice", "/home/alice"}); !ok || p.unit != "" || p.state != "/ProgramData/ccwatchd" {
		t.Errorf("Windows: got %+v", p)
	}
}

// A service of Windows runs as the system, so it gets the directories of the user who
// installs it: of Claude Code, and of Claude Desktop.
func TestVariablesOnWindows(t *testing.T) {
	o := Options{Env: func(name string) string { return map[string]string{"APPDATA": "/roaming/alice"}[name] }}
	paths, _ := o.pathsOf(windows, false, account{"alice", "/home/alice"})
	s := controller{Commands: &Commands{Options: o}, paths: paths}
	home := filepath.Join("/home", "alice")
	want := map[string]string{
		"CLAUDE_CONFIG_DIR": filepath.Join(home, ".claude"), "APPDATA": "/roaming/alice", "LOCALAPPDATA": filepath.Join(home, "AppData", "Local"),
	}
	if got := s.variables(); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
