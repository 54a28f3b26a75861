package torture

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"github.com/ccwatchd/ccwatchd/test/corpus"
)

// The users of the daemon, as labels of their sources. Only the files of the first user
// are described by [tree], and only this user's totals are known.
const (
	honestUser = "alice"
	abuserName = "mallory"
)

// An abuser is another user of the same daemon, who works against the first user all
// the time. SECURITY.md states what that may cost: time, memory and disk, but no count.
type abuser struct {
	rng    *rand.Rand
	victim *tree
	root   string // the abuser's source
	store  string // generated sessions
	keys   int    // that the daemon keeps of a source, see keysOf

	sessions, agents []string // generated files
	flooded          []string // directories, oldest first
	locked           []string // without permission
	copies           []string // at paths of the victim's files, below root
	names            int      // generated names
}

func newAbuser(dir string, seed uint64, duration time.Duration, victim *tree) *abuser {
	rng := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // must be reproducible
	return &abuser{
		rng: rng, victim: victim, keys: keysOf(duration),
		root: filepath.Join(dir, abuserName), store: filepath.Join(dir, "abuse"),
	}
}

// keysOf returns limits.dedup_keys for a run: more than the honest user can need, and
// few enough for the abuser to exceed.
func keysOf(duration time.Duration) int {
	const base, perMinute = 15_000, 15_000
	return base + int(perMinute*duration.Minutes())
}

// prepare generates sessions, whose ids occur nowhere else.
func (a *abuser) prepare() error {
	if _, err := corpus.Generate(a.store, corpus.Options{Seed: a.rng.Uint64(), Projects: 6}); err != nil {
		return err
	}
	return walkFiles(filepath.Join(a.store, "projects"), func(rel, name string) error {
		switch {
		case !isTranscript(rel):
		case isAgent(rel):
			a.agents = append(a.agents, name)
		default:
			a.sessions = append(a.sessions, name)
		}
		return nil
	})
}

// An abuse is something that one user does to another.
type abuse struct {
	name   string
	weight int
	commit func(*abuser) error
}

func abuses() []abuse {
	return []abuse{
		{"flooded", 6, (*abuser).flood},
		{"crowded", 3, (*abuser).crowd},
		{"impersonated", 10, (*abuser).impersonate},
		{"plagiarized", 10, (*abuser).plagiarize},
		{"copies moved", 6, (*abuser).moveCopy},
		{"keys spent", 3, (*abuser).spendKeys},
		{"locked, unlocked", 4, (*abuser).lock},
		{"abuser removed", 1, (*abuser).removeAll},
	}
}

// abuse lets the abuser do something in some of the steps. It does not change what the
// writer and the nemesis do.
func (r *run) abuse() error {
	const abuseEvery = 40 // steps
	a := r.abuser
	if a.rng.IntN(abuseEvery) > 0 {
		return nil
	}
	all, sum := abuses(), 0
	for _, b := range all {
		sum += b.weight
	}
	n := a.rng.IntN(sum)
	chosen := slices.IndexFunc(all, func(b abuse) bool {
		n -= b.weight
		return n < 0
	})
	// A directory without permission may be in the way of the abuser, too.
	if err := all[chosen].commit(a); err != nil && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("%s: %w", all[chosen].name, err)
	}
	r.count[all[chosen].name]++
	return nil
}

// unlock gives all directories their permission back, the last one first: it may be
// above the others.
func (a *abuser) unlock() error {
	var errs []error
	for _, dir := range slices.Backward(a.locked) {
		if err := os.Chmod(dir, 0o755); !errors.Is(err, fs.ErrNotExist) { //nolint:gosec // synthetic
			errs = append(errs, err)
		}
	}
	a.locked = nil
	return errors.Join(errs...)
}

var sessionID = regexp.MustCompile(`"sessionId":"([^"]*)"`)

// abs returns the path of a name below the abuser's source.
func (a *abuser) abs(name string) string { return filepath.Join(a.root, filepath.FromSlash(name)) }
