//go:build endtoend && fleet

package endtoend

import (
	"fmt"
	"maps"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/ccwatchd/ccwatchd/test/reference"
)

const (
	machineCount = 200
	userCount    = 40
	// Every showcaseEvery-th machine has sessions with everything that is counted. The
	// other machines have ordinary sessions.
	showcaseEvery = 25
	tenant        = "team-a"
	// pastOfFleet is when the first sessions began, before the daemons.
	pastOfFleet = 72 * time.Hour
)

// A machine has a daemon that sends, and one user. A user may have several machines.
type machine struct {
	user, host string
	dir        string // a configuration directory of Claude Code
	past       *script
	present    *script
	daemon     *Server
}

// A fleet is many machines that send to one server.
type fleet struct {
	machines []*machine
	program  string // path of ccwatchd
	receiver string // address
}

// newFleet returns a fleet whose past is written.
func newFleet(t *testing.T, receiver string) *fleet {
	t.Helper()
	f := &fleet{program: Daemon(t), receiver: receiver}
	for i := range machineCount {
		m := &machine{user: fmt.Sprintf("user-%02d", i%userCount), host: fmt.Sprintf("host-%03d", i), dir: t.TempDir()}
		seed, showcase := 2*uint64(i), i%showcaseEvery == 0
		m.past = newScript(t, f.program, seed, time.Now().Add(-pastOfFleet), 1+i%3, false)
		m.present = newScript(t, f.program, seed+1, time.Now().Add(-24*time.Hour), 3, showcase)
		m.past.write(t, m.dir, 1)
		m.daemon = NewDaemon(t, f.program, f.config(m, "1s"))
		f.machines = append(f.machines, m)
	}
	return f
}

// config returns the configuration of the daemon on a machine. New series are exposed
// as 0 for two requests. Files are polled: one system does not have file events for
// hundreds of daemons.
func (f *fleet) config(m *machine, messageTimeout string) string {
	return fmt.Sprintf(`
sources: [{path: %q}]
intervals: {message_timeout: %s, scan: 5s, zero_window: 30s}
limits: {watches: 0}
remote_write:
  - url: http://%s/api/v1/push
    name: mimir
    headers: {%s: %s}
    labels: {instance: %[6]s, host: %[6]s, user: %[7]s}
`, filepath.Join(m.dir, "projects"), messageTimeout, f.receiver, TenantHeader, tenant, m.host, m.user)
}

func (f *fleet) start(t *testing.T) {
	t.Helper()
	for _, m := range f.machines {
		m.daemon.Start(t)
	}
}

// backfill has all machines send their past.
func (f *fleet) backfill(t *testing.T) {
	t.Helper()
	for _, m := range f.machines {
		backfillOutput(t, f.program, m.daemon, "--to=mimir", "--config.file=ccwatchd.yml", "--step=1h")
	}
}

// setMessageTimeout reloads the configuration of all daemons.
func (f *fleet) setMessageTimeout(t *testing.T, timeout string) {
	t.Helper()
	for _, m := range f.machines {
		m.daemon.Write(t, "ccwatchd.yml", f.config(m, timeout))
		m.daemon.Signal(t, syscall.SIGHUP)
	}
}

// killGroups is the number of groups of machines that take turns at being killed; only
// the first few of them have a turn.
const killGroups = 8

// work writes a share of the present sessions of all machines. The daemons of a group
// are killed after a part of the share, and are down while the rest is written.
func (f *fleet) work(t *testing.T, share float64, group int) {
	t.Helper()
	var killed []*machine
	for i, m := range f.machines {
		m.present.write(t, m.dir, share-.05)
		if i%killGroups == group {
			m.daemon.Kill(t)
			killed = append(killed, m)
		}
	}
	for _, m := range f.machines {
		m.present.write(t, m.dir, share)
	}
	for _, m := range killed {
		m.daemon.Start(t)
	}
}

// totals returns the totals of each user's machines: lines written before the start,
// lines written after it, and both.
func (f *fleet) totals() (past, present, all usersTotals) {
	past, present, all = make(usersTotals), make(usersTotals), make(usersTotals)
	for _, m := range f.machines {
		past.add(m.user, m.past.totals)
		present.add(m.user, m.present.totals)
		all.add(m.user, m.past.totals)
		all.add(m.user, m.present.totals)
	}
	return past, present, all
}

type usersTotals map[string]reference.Totals

// dated returns the totals without metrics that can count lines without a time, such as
// cost-state lines.
func (u usersTotals) dated() usersTotals {
	all := make(usersTotals)
	for user, totals := range u {
		all[user] = dated(maps.Clone(totals))
	}
	return all
}

func (u usersTotals) add(user string, more reference.Totals) {
	if u[user] == nil {
		u[user] = make(reference.Totals)
	}
	u[user].Add(more)
}
