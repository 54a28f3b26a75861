package main

import (
	"errors"
	"strings"
	"testing"
)

func TestWhereThereIsNoService(t *testing.T) {
	for _, test := range []struct {
		name         string
		around       surroundings
		user, change bool
		want         string // what the error ends with; "" for none
	}{
		{"systemd, own", surroundings{manager: systemd, booted: true, session: true}, true, true, ""},
		{"systemd, own of root", surroundings{manager: systemd, booted: true, session: true, root: true}, true, true, ""},
		{"systemd, own with sudo", surroundings{manager: systemd, booted: true, session: true, root: true, sudo: "alice"}, true, true, "leave out sudo for your own, or add --system for that of the machine"},
		{"systemd, own of root without a session", surroundings{manager: systemd, booted: true, root: true}, true, true, "add --system for that of the machine"},
		{"systemd, own without a session", surroundings{manager: systemd, booted: true}, true, false, "sudo loginctl enable-linger USER"},
		{"systemd, system", surroundings{manager: systemd, booted: true, root: true}, false, true, ""},
		{"systemd, system without root", surroundings{manager: systemd, booted: true}, false, true, "put sudo in front, or try --user"},
		{"systemd, look at the system", surroundings{manager: systemd, booted: true}, false, false, ""},
		{"systemd that does not run", surroundings{manager: systemd, root: true}, false, false, "systemd is there, but does not run this machine; have ccwatchd started by what does"},
		{"container with systemd", surroundings{manager: systemd, container: true}, true, true, "have ccwatchd itself be what the container runs"},
		{"container", surroundings{manager: "unix-systemv", container: true}, true, true, "have ccwatchd itself be what the container runs"},
		{"WSL", surroundings{manager: "unix-systemv", wsl: true}, true, true, "write systemd=true below [boot] into /etc/wsl.conf, and then in Windows: wsl --shutdown"},
		{"runit", surroundings{manager: "unix-systemv", root: true}, false, true, "neither systemd nor OpenRC run this machine; have ccwatchd started by what does"},
		{"upstart", surroundings{manager: "linux-upstart", root: true}, false, true, "have ccwatchd started by what does"},
		{"nothing", surroundings{}, false, true, "have ccwatchd started by what does"},
		{"OpenRC, own", surroundings{manager: openRC}, true, true, "there are only services of the system here; try --system"},
		{"OpenRC, system", surroundings{manager: openRC, root: true}, false, true, ""},
		{"OpenRC in a container", surroundings{manager: openRC, root: true, container: true}, false, true, ""},
		{"FreeBSD, system", surroundings{manager: freeBSD, root: true, sudo: "alice"}, false, true, ""},
		{"FreeBSD, of nobody", surroundings{manager: freeBSD, root: true}, false, true, "be that user, and put sudo in front"},
		{"Mac, own", surroundings{manager: launchd, session: true}, true, true, ""},
		{"Mac without a screen", surroundings{manager: launchd}, true, true, "with sudo and --system it starts with the machine, and reads your sessions all the same"},
		{"Mac, own with sudo", surroundings{manager: launchd, root: true, sudo: "alice", session: true}, true, true, "leave out sudo for your own, or add --system for that of the machine"},
		{"Mac, system", surroundings{manager: launchd, root: true, sudo: "alice"}, false, true, ""},
		{"Mac, system of nobody", surroundings{manager: launchd, root: true}, false, true, "be that user, and put sudo in front"},
		{"Windows, own", surroundings{manager: windows}, true, true, "try --system"},
		{"Windows, system", surroundings{manager: windows, root: true}, false, true, ""},
		{"Windows, nobody special", surroundings{manager: windows}, false, true, "it takes an administrator; open a terminal as one"},
	} {
		err := test.around.refuse(test.user, test.change)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (!errors.Is(err, errNoService) || !strings.HasSuffix(err.Error(), test.want)):
			t.Errorf("%s: %v, want that it ends with %q", test.name, err, test.want)
		}
	}
}

func TestPlacesOfServices(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"ProgramData": "/ProgramData", "XDG_STATE_HOME": "/state", "XDG_CONFIG_HOME": "/config"}[name]
	}
	for _, test := range []struct {
		by                        string
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
		p, ok := placeOf(test.by, test.user, account{"alice", "/home/alice"}, env)
		if ok != (test.unit != "") {
			t.Errorf("%s, user %v: there is one: %v", test.by, test.user, ok)
		}
		around := surroundings{manager: test.by, booted: true, root: true, sudo: "alice", session: true}
		if !ok && around.refuse(test.user, false) == nil {
			t.Errorf("%s, user %v: there is none, and nobody says why", test.by, test.user)
		}
		if ok && (p.unit != test.unit || p.config != test.config || p.state != test.state || p.args != test.args || p.file == "" || p.log == "") {
			t.Errorf("%s, user %v: %+v", test.by, test.user, p)
		}
	}
	if p, ok := placeOf(windows, false, account{"alice", "/home/alice"}, env); !ok || p.unit != "" || p.state != "/ProgramData/ccwatchd" {
		t.Errorf("on Windows: %+v", p)
	}
}
