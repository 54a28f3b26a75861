package naive

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Circumstances is the rule of docs/circumstances.md.
func Circumstances() Rule {
	return Rule{
		Families: []string{
			"claude_requests_by_mode_total", "claude_requests_by_service_total", "claude_requests_by_entrypoint_total",
			"claude_requests_by_era_total", "claude_version_info",
		},
		Count: countCircumstances,
	}
}

// The values of the labels, the one that counts rather than the others last.
var (
	modes       = strings.Fields("unknown other plan delegate default dontAsk acceptEdits auto bypassPermissions")
	efforts     = strings.Fields("unknown other low medium high xhigh max")
	tiers       = strings.Fields("unknown other standard default batch flex priority")
	speeds      = strings.Fields("unknown other standard fast")
	entrypoints = strings.Fields("unknown other cli claude-vscode claude-desktop sdk-cli sdk-ts sdk-py mcp " +
		"claude-code-github-action local-agent remote remote_cowork remote_desktop remote_mobile")
	eras = strings.Fields("unknown 2.1.97+ 2.1.59-2.1.96 2.1.30-2.1.58 2.1.9-2.1.29 2.1.0-2.1.8 2.0 1.0")
)

// A request is the position of each of its values in the list of the label.
type request struct {
	mode, effort, tier, speed, entrypoint, era int

	complete bool // further lines are not of the request
}

func countCircumstances(tree *Tree, totals *Totals) {
	requests := make(map[string]*request)
	used := make(map[string]time.Time) // by version
	for _, f := range inReadingOrder(tree) {
		mode, open, paused := 0, &request{}, afterPause(f, tree.Now)
		for i, e := range f.Entries {
			if kind := e.Text("type"); kind == "user" || kind == "permission-mode" {
				mode = cmp.Or(position(modes, e.Text("permissionMode")), mode)
			}
			if paused[i] || endsRequest(f, e) {
				open.complete = true
			}
			id := messageKey(f, i)
			if id == "" {
				continue
			}
			if requests[id] == nil {
				requests[id] = &request{}
			}
			if r := requests[id]; r != open {
				open.complete = true
				open = r
			}
			open.add(mode, e)
			if version := e.Text("version"); versionPattern.MatchString(version) {
				at := parsedTime(e.Text("timestamp"))
				if at.Year() >= 2020 && float64(at.UnixMilli())/1000 <= tree.Now && at.After(used[version]) {
					used[version] = at
				}
			}
		}
	}
	for _, r := range requests {
		totals.Add(1, "claude_requests_by_mode_total", "permission_mode", modes[r.mode], "effort", efforts[r.effort])
		totals.Add(1, "claude_requests_by_service_total", "service_tier", tiers[r.tier], "speed", speeds[r.speed])
		totals.Add(1, "claude_requests_by_entrypoint_total", "entrypoint", entrypoints[r.entrypoint])
		totals.Add(1, "claude_requests_by_era_total", "era", eras[r.era])
	}
	for _, version := range newestVersions(used) {
		totals.Add(1, "claude_version_info", "version", version)
	}
}

// endsRequest reports whether no further lines of a request follow an entry that is
// not of a message: after a prompt or an interruption.
func endsRequest(f *File, e Entry) bool {
	side := e.At("isSidechain") == true || isAgentFile(f)
	kind := promptOf(e)
	return e.Text("type") == "user" && isInterruption(e) || !side && (kind == "user" || kind == "queued")
}

// add adds what a line of the request states.
func (r *request) add(mode int, e Entry) {
	if r.complete {
		return
	}
	r.complete = isSet(e.At("message", "stop_reason"))
	raise := func(n *int, list []string, value string) { *n = max(*n, position(list, value)) }
	r.mode = max(r.mode, mode)
	raise(&r.effort, efforts, cmp.Or(e.Text("perTurnEffort"), e.Text("effort")))
	raise(&r.tier, tiers, e.Text("message", "usage", "service_tier"))
	raise(&r.speed, speeds, e.Text("message", "usage", "speed"))
	raise(&r.entrypoint, entrypoints, e.Text("entrypoint"))
	raise(&r.era, eras, eraOf(e.Text("version")))
}

// position returns the position of a value: 0 if there is none, 1 if it is not listed.
func position(list []string, value string) int {
	if i := slices.Index(list, value); i >= 0 || value == "" {
		return max(i, 0)
	}
	return 1
}

var versionPattern = regexp.MustCompile(`^(0|[1-9]\d{0,4})(\.(0|[1-9]\d{0,4})){0,2}$`)

// comparableVersion returns a number that orders versions.
func comparableVersion(version string) (n int) {
	for _, part := range strings.Split(version+".0.0", ".")[:3] {
		i, _ := strconv.Atoi(part)
		n = n*100_000 + i
	}
	return n
}

func eraOf(version string) string {
	if !versionPattern.MatchString(version) {
		return ""
	}
	for _, e := range eras[1:] {
		start, _, _ := strings.Cut(strings.TrimSuffix(e, "+"), "-")
		if comparableVersion(version) >= comparableVersion(start) {
			return e
		}
	}
	return "1.0"
}

// newestVersions returns the highest eight versions of the 30 days, in UTC, before the
// newest request.
func newestVersions(used map[string]time.Time) (newest []string) {
	day := func(t time.Time) int64 { return t.Unix() / 86400 }
	last := int64(0)
	for _, at := range used {
		last = max(last, day(at))
	}
	for version, at := range used {
		if day(at) >= last-30 {
			newest = append(newest, version)
		}
	}
	slices.SortFunc(newest, func(a, b string) int {
		return cmp.Or(cmp.Compare(comparableVersion(b), comparableVersion(a)), cmp.Compare(a, b))
	})
	return newest[:min(len(newest), 8)]
}

// parsedTime returns the zero time if the text is not a time.
func parsedTime(text string) time.Time {
	for _, layout := range []string{"2006-01-02T15:04:05Z07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02T15:04:05", "2006-01-02 15:04:05"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t
		}
	}
	return time.Time{}
}
