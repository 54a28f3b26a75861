package naive

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// requestAttributesRule implements docs/design/requests.md#how-a-request-was-made.
func requestAttributesRule() Rule {
	return Rule{
		Families: []string{
			"claude_requests_by_mode_total", "claude_requests_by_service_total", "claude_requests_by_entrypoint_total",
			"claude_requests_by_version_range_total", "claude_version_info", "claude_entrypoint_tokens_total", "claude_entrypoint_cost_usd_total",
		},
		Count: countAttributes,
	}
}

// The values of the labels in ascending precedence.
var (
	modes       = strings.Fields("unknown other plan delegate default dontAsk acceptEdits auto bypassPermissions")
	efforts     = strings.Fields("unknown other low medium high xhigh max")
	tiers       = strings.Fields("unknown other standard default batch flex priority")
	speeds      = strings.Fields("unknown other standard fast")
	entrypoints = strings.Fields("unknown other cli claude-vscode claude-desktop sdk-cli sdk-ts sdk-py mcp " +
		"claude-code-github-action local-agent remote remote_cowork remote_desktop remote_mobile")
	versionRanges = strings.Fields("unknown 2.1.307+ 2.1.97-2.1.306 2.1.59-2.1.96 2.1.30-2.1.58 2.1.8-2.1.29 2.1.0-2.1.7 2.0 1.0")
)

// A requestAttributes is the position of each of its values in the list of the label.
type requestAttributes struct {
	mode, effort, tier, speed, entrypoint, versionRange int

	complete bool // further lines are not of the request
}

func countAttributes(tree *Tree, totals Totals) {
	requests := make(map[string]*requestAttributes)
	used := make(map[string]int64) // by version
	for _, f := range tree.Files {
		mode, open := 0, &requestAttributes{}
		for _, l := range f.Lines {
			if kind := l.Text("type"); kind == "user" || kind == "permission-mode" {
				mode = cmp.Or(position(modes, l.Text("permissionMode")), mode)
			}
			if l.Text("type") == "attachment" && l.Text("attachment", "type") == "plan_mode_exit" && modes[mode] == "plan" {
				mode = 0
			}
			if l.paused || l.endsRequest() {
				open.complete = true
			}
			if l.key == "" {
				continue
			}
			if requests[l.key] == nil {
				requests[l.key] = &requestAttributes{}
			}
			if r := requests[l.key]; r != open {
				open.complete = true
				open = r
			}
			open.add(mode, l)
			if version := l.Text("version"); versionPattern.MatchString(version) && l.at > 0 && l.at <= tree.Now {
				used[version] = max(used[version], l.at)
			}
		}
	}
	for _, r := range requests {
		totals.Add(1, "claude_requests_by_mode_total", "permission_mode", modes[r.mode], "effort", efforts[r.effort])
		totals.Add(1, "claude_requests_by_service_total", "service_tier", tiers[r.tier], "speed", speeds[r.speed])
		totals.Add(1, "claude_requests_by_entrypoint_total", "entrypoint", entrypoints[r.entrypoint])
		totals.Add(1, "claude_requests_by_version_range_total", "version_range", versionRanges[r.versionRange])
	}
	for _, m := range tree.messages {
		for _, r := range m.requests() {
			totals.addEntrypoint(requests[m.first.key].entrypoint, r)
		}
	}
	for _, s := range tree.searches() {
		entrypoint := 0
		if s.from.key != "" {
			entrypoint = position(entrypoints, s.from.Text("entrypoint"))
		}
		totals.addEntrypoint(entrypoint, s.request)
	}
	for _, version := range newestVersions(used) {
		totals.Add(1, "claude_version_info", "version", version)
	}
}

// addEntrypoint adds the tokens and the cost of a request.
func (t Totals) addEntrypoint(entrypoint int, r request) {
	for name, n := range r.tokens() {
		t.Add(n, "claude_entrypoint_tokens_total", "entrypoint", entrypoints[entrypoint], "type", name)
	}
	if c, ok := prices.cost(r); ok {
		t.Add(c.total(), "claude_entrypoint_cost_usd_total", "entrypoint", entrypoints[entrypoint])
	}
}

// endsRequest reports whether no further lines of a request follow an entry that is
// not of a message: after a prompt or an interruption.
func (l *Line) endsRequest() bool {
	kind := l.prompt()
	return kind == "interruption" || !l.side && kind != "" && l.Text("type") != "system"
}

// add adds the attributes on a line of the request.
func (r *requestAttributes) add(mode int, e *Line) {
	if r.complete {
		return
	}
	r.complete = e.isFinal()
	raise := func(n *int, list []string, value string) { *n = max(*n, position(list, value)) }
	r.mode = max(r.mode, mode)
	raise(&r.effort, efforts, cmp.Or(e.Text("perTurnEffort"), e.Text("effort")))
	raise(&r.tier, tiers, e.Text("message", "usage", "service_tier"))
	raise(&r.speed, speeds, e.Text("message", "usage", "speed"))
	raise(&r.entrypoint, entrypoints, e.Text("entrypoint"))
	raise(&r.versionRange, versionRanges, versionRangeOf(e.Text("version")))
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

func versionRangeOf(version string) string {
	if !versionPattern.MatchString(version) {
		return ""
	}
	for _, r := range versionRanges[1:] {
		start, _, _ := strings.Cut(strings.TrimSuffix(r, "+"), "-")
		if comparableVersion(version) >= comparableVersion(start) {
			return r
		}
	}
	return "1.0"
}

// newestVersions returns the highest eight versions of the 30 days, in UTC, before the
// newest request.
func newestVersions(used map[string]int64) (newest []string) {
	const day = 24 * 60 * 60 * 1000
	last := int64(0)
	for _, at := range used {
		last = max(last, at/day)
	}
	for version, at := range used {
		if at/day >= last-30 {
			newest = append(newest, version)
		}
	}
	slices.SortFunc(newest, func(a, b string) int {
		return cmp.Or(cmp.Compare(comparableVersion(b), comparableVersion(a)), cmp.Compare(a, b))
	})
	return newest[:min(len(newest), 8)]
}
