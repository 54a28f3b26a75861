package naive_test

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/ccwatchd/ccwatchd/test/transcripttest"
)

// models are the models of varied trees: all in the price list, in several spellings,
// and some that are not.
var models = []string{
	"claude-fable-5-2", "claude-fable-5-1", "claude-mythos-5-1", "claude-fable-5", "claude-mythos-5", "claude-opus-5-5", "claude-opus-5",
	"claude-opus-4-8", "claude-opus-4-7", "claude-opus-4-6", "claude-opus-4-5-20251101", "claude-opus-4-1-20250805", "claude-opus-4-20250514",
	"claude-3-opus-20240229", "claude-sonnet-5-5", "claude-sonnet-5", "claude-sonnet-4-6", "claude-sonnet-4-5-20250929", "claude-sonnet-4-20250514",
	"claude-3-7-sonnet-latest", "claude-3-5-sonnet-20241022", "claude-haiku-5-5", "claude-haiku-4-5-20251001", "claude-3-5-haiku-20241022", "claude-3-haiku-20240307",
	// Models with more requests at the boundaries.
	"claude-haiku-5-5", "claude-haiku-5-5", "claude-sonnet-5-5", "claude-sonnet-5-5", "claude-opus-4-7", "claude-opus-4-7", "claude-sonnet-4-5-20250929",
	"us.anthropic.claude-opus-4-5-20251101-v1:0", "anthropic/claude-sonnet-4.5", "claude-sonnet-4@20250514", "Claude Haiku 4.5", "claude-opus-4-7[1m]", "anthropic.claude-haiku-5-5",
	"eu.anthropic.claude-sonnet-5-5", "anthropic.claude-3-5-sonnet-20241022-v2:0", " Claude Haiku 4.5", "anthropic.anthropic.claude-opus-5",
	"claude-opus-4-9", "claude-sonnet-6", "claude-opus-4-60", "claude-3-opus-20240229-fast", "glm-5.1", "opus", "", " ",
}

// days are the days on which prices change.
var days = []string{"2026-07-25", "2026-10-07", "2026-09-28", "2026-09-01", "2026-11-09"}

// A variation gives the messages of a generated tree varied models, sizes and times, so
// that different prices apply. All records and copies of a message get the same values,
// except for the speed and the geography.
type variation struct {
	seed    uint64
	shift   time.Duration
	records int // so far
	// sessions are ids of some sessions in the tree. Other sessions can have copies of
	// them.
	sessions []string
}

// vary returns a tree whose entries were written around midnight of one of the days.
func vary(tree transcripttest.Tree, seed uint64) transcripttest.Tree {
	v := variation{seed: seed}
	day, err := time.Parse(time.DateOnly, days[seed%uint64(len(days))])
	if err != nil {
		panic(err)
	}
	// The sessions of generated trees begin at this time or up to an hour later.
	start := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)
	v.shift = day.Sub(start) - time.Duration(v.draw("shift", 60))*time.Minute
	varied := make(transcripttest.Tree)
	for _, name := range tree.Names() {
		content := timestamp.ReplaceAllStringFunc(tree[name], v.time)
		varied[name] = v.lines(name, message.ReplaceAllStringFunc(content, v.message))
		if found := session.FindStringSubmatch(content); found != nil && len(v.sessions) < 5 {
			v.sessions = append(v.sessions, found[1])
		}
	}
	return varied
}

// draw returns a number below n, the same for the same name.
func (v *variation) draw(name string, n int) int {
	h := fnv.New64a()
	_, _ = fmt.Fprint(h, v.seed, name)
	return int(h.Sum64() % uint64(n))
}

var (
	timestamp = regexp.MustCompile(`"timestamp":"([^"]*)"`)
	// A message as package transcripttest writes it, up to its cache writes.
	message = regexp.MustCompile(`"id":"(msg_[^"]*)","model":"[^"]*"(.*?)"usage":{"input_tokens":(\d+),"output_tokens":(\d+),` +
		`"cache_read_input_tokens":(\d+),"cache_creation_input_tokens":(\d+)`)
)

func (v *variation) time(stamp string) string {
	if v.draw(stamp, 10) == 0 {
		return `"timestamp":null`
	}
	at, err := time.Parse(time.RFC3339, timestamp.FindStringSubmatch(stamp)[1])
	if err != nil {
		panic(err)
	}
	return `"timestamp":"` + at.Add(v.shift).Format("2006-01-02T15:04:05.000Z") + `"`
}

func (v *variation) message(text string) string {
	found := message.FindStringSubmatch(text)
	id, between := found[1], found[2]
	var tokens [4]int
	for i := range tokens {
		n, err := strconv.Atoi(found[3+i])
		if err != nil {
			panic(err)
		}
		tokens[i] = n
	}
	in, out, read, written := tokens[0], tokens[1], v.read(id, tokens[2], tokens[0]+tokens[3]), tokens[3]
	v.records++
	return fmt.Sprintf(`"id":%q,"model":%q%s"usage":{%s"iterations":[%s],"server_tool_use":{"web_search_requests":%d},`+
		`"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":%d,"cache_creation_input_tokens":%d`,
		id, v.model(id), between, v.place(fmt.Sprint("record", v.records)), v.iterations(id), max(0, v.draw(id+"searches", 8)-5), in, out, read, written)
}

func (v *variation) model(name string) string { return models[v.draw(name+"model", len(models))] }

// read returns a number of cache reads. With it, the prompt of some requests is as long
// as a limit, or differs from it by one.
func (v *variation) read(name string, usual, others int) int {
	limit := []int{0, 0, 100_000, 200_000}[v.draw(name+"limit", 4)]
	if limit == 0 {
		return usual
	}
	return max(0, limit-1+v.draw(name+"prompt", 3)-others)
}

// place returns the members of a usage that state speed and geography, each with a
// comma.
func (v *variation) place(name string) string {
	speeds := []string{"", `"speed":"fast",`, `"speed":"fast",`, `"speed":"standard",`, `"speed":null,`}
	geos := []string{"", `"inference_geo":"us",`, `"inference_geo":"us",`, `"inference_geo":"global",`, `"inference_geo":"",`}
	return speeds[v.draw(name+"speed", len(speeds))] + geos[v.draw(name+"geo", len(geos))]
}

// iterations returns up to three iterations.
func (v *variation) iterations(id string) string {
	types := []string{"advisor_message", "advisor_message", "compaction", "message"}
	var all []string
	for i := range max(0, v.draw(id+"iterations", 8)-4) {
		name := fmt.Sprint(id, " ", i)
		model := ""
		if v.draw(name+"own", 4) > 0 {
			model = fmt.Sprintf(`"model":%q,`, v.model(name))
		}
		in, written := v.draw(name+"in", 3000), v.draw(name+"written", 2)*v.draw(name+"lifetime", 5000)
		all = append(all, fmt.Sprintf(`{%s%s"type":%q,"input_tokens":%d,"output_tokens":%d,"cache_read_input_tokens":%d,`+
			`"cache_creation_input_tokens":%d,"cache_creation":{"ephemeral_1h_input_tokens":%d}}`,
			model, v.place(name), types[v.draw(name+"type", len(types))], in, v.draw(name+"out", 2000), v.read(name, 70, in+written), written, written/2))
	}
	return strings.Join(all, ",")
}
