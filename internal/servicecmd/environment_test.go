package servicecmd

import (
	"errors"
	"strings"
	"testing"
)

func TestEnvironmentCheck(t *testing.T) {
	for _, test := range []struct {
		name         string
		environment  environment
		user, change bool
		want         string // what the error ends with; "" for none
	}{
		{"systemd, own", environment{manager: systemd, booted: true, session: true}, true, true, ""},
		{"systemd, own of root", environment{manager: systemd, booted: true, session: true, root: true}, true, true, ""},
		{"systemd, own with sudo", environment{manager: systemd, booted: true, session: true, root: true, sudo: "alice"}, true, true, "refusing to install a user service for root: run without sudo, or add --system"},
		{"systemd, own of root without a session", environment{manager: systemd, booted: true, root: true}, true, true, "refusing to install a user service for root: run without sudo, or add --system"},
		{"systemd, own without a session", environment{manager: systemd, booted: true}, true, false, "sudo loginctl enable-linger USER"},
		{"systemd, system", environment{manager: systemd, booted: true, root: true}, false, true, ""},
		{"systemd, system without root", environment{manager: systemd, booted: true}, false, true, "run with sudo, or use --user"},
		{"systemd, look at the system", environment{manager: systemd, booted: true}, false, false, ""},
		{"systemd that does not run", environment{manager: systemd, root: true}, false, false, "systemd is installed, but is not the init system: start ccwatchd from yours"},
		{"container with systemd", environment{manager: systemd, container: true}, true, true, "run ccwatchd as its main process"},
		{"container", environment{manager: "unix-systemv", container: true}, true, true, "run ccwatchd as its main process"},
		{"WSL", environment{manager: "unix-systemv", wsl: true}, true, true, "set systemd=true under [boot] in /etc/wsl.conf, then run in Windows: wsl --shutdown"},
		{"runit", environment{manager: "unix-systemv", root: true}, false, true, "neither systemd nor OpenRC is the init system: start ccwatchd from yours"},
		{"upstart", environment{manager: "linux-upstart", root: true}, false, true, "start ccwatchd from yours"},
		{"nothing", environment{}, false, true, "start ccwatchd from yours"},
		{"OpenRC, own", environment{manager: openRC}, true, true, "this system has no user services: add --system"},
		{"OpenRC, system", environment{manager: openRC, root: true}, false, true, ""},
		{"OpenRC in a container", environment{manager: openRC, root: true, container: true}, false, true, ""},
		{"FreeBSD, system", environment{manager: freeBSD, root: true, sudo: "alice"}, false, true, ""},
		{"FreeBSD, of nobody", environment{manager: freeBSD, root: true}, false, true, "log in as that user and run with sudo"},
		{"Mac, own", environment{manager: launchd, session: true}, true, true, ""},
		{"Mac without a screen", environment{manager: launchd}, true, true, "with sudo and --system the service starts at boot and reads the same sessions"},
		{"Mac, own with sudo", environment{manager: launchd, root: true, sudo: "alice", session: true}, true, true, "refusing to install a user service for root: run without sudo, or add --system"},
		{"Mac, system", environment{manager: launchd, root: true, sudo: "alice"}, false, true, ""},
		{"Mac, system of nobody", environment{manager: launchd, root: true}, false, true, "log in as that user and run with sudo"},
		{"Windows, own", environment{manager: windows}, true, true, "add --system"},
		{"Windows, system", environment{manager: windows, root: true}, false, true, ""},
		{"Windows, nobody special", environment{manager: windows}, false, true, "open a terminal as administrator"},
	} {
		err := test.environment.check(test.user, test.change)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (!errors.Is(err, errNoService) || !strings.HasSuffix(err.Error(), test.want)):
			t.Errorf("%s: %v, want that it ends with %q", test.name, err, test.want)
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
		unit, config, state, args string // no unit: no such service
	}{
		{systemd, true, "/home/alice/.config/systemd/user/ccwatchd.service", "", "/state/ccwatchd", "/config/ccwatchd/environment"},
		{systemd, false, "/etc/systemd/system/ccwatchd.service", "/etc/ccwatchd/ccwatchd.yml", "/var/lib/ccwatchd", "/etc/default/ccwatchd"},
		{openRC, true, "", "", "", ""},
		{openRC, false, "/etc/init.d/ccwatchd", "/etc/ccwatchd/ccwatchd.yml", "/var/lib/ccwatchd", "/etc/conf.d/ccwatchd"},
		{freeBSD, true, "", "", "", ""},
		{freeBSD, false, "/usr/local/etc/rc.d/ccwatchd", "", "/var/db/ccwatchd", "/etc/rc.conf"},
		{launchd, true, "/home/alice/Library/LaunchAgents/ccwatchd.plist", "", "/state/ccwatchd", ""},
		{launchd, false, "/Library/LaunchDaemons/ccwatchd.plist", "", "/home/alice/Library/Application Support/ccwatchd", ""},
		{windows, true, "", "", "", ""},
		{"unix-systemv", false, "", "", "", ""},
	} {
		p, ok := o.pathsOf(test.manager, test.user, account{"alice", "/home/alice"})
		if ok != (test.unit != "") {
			t.Errorf("%s, user %v: there is one: %v", test.manager, test.user, ok)
		}
		e := environment{manager: test.manager, booted: true, root: true, sudo: "alice", session: true}
		if !ok && e.check(test.user, false) == nil {
			t.Errorf("%s, user %v: no service, and no error", test.manager, test.user)
		}
		if ok && (p.unit != test.unit || p.config != test.config || p.state != test.state || p.extraArgs != test.args || p.template == "" || p.log == "") {
			t.Errorf("%s, user %v: %+v", test.manager, test.user, p)
		}
	}
	if p, ok := o.pathsOf(windows, false, account{"alice", "/home/alice"}); !ok || p.unit != "" || p.state != "/ProgramData/ccwatchd" {
		t.Errorf("on Windows: %+v", p)
	}
}
