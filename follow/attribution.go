package follow

import (
	"io"
	"path/filepath"

	"github.com/ccwatchd/ccwatchd/transcript"
	"github.com/ccwatchd/ccwatchd/watcher"
)

// agentType returns the label of a sub-agent's type if the file that describes it
// states a type and was not read since its transcript was opened. Claude Code writes
// the file shortly before or after the transcript begins, so it is read before new
// lines until it exists. A file that cannot be read does not exist.
func (f *Follower) agentType(roots roots, name watcher.File, known *knownFile) string {
	if !transcript.KindOf(name.Rel).IsAgent() || known.isDescribed() && known.path == f.digest(name) {
		return ""
	}
	dir, base := filepath.Split(name.Rel)
	name.Rel = dir + transcript.DescriptionName(transcript.PlainName(base))
	file, err := roots.openBeside(name)
	if err != nil {
		return ""
	}
	defer file.Close() //nolint:errcheck // only read
	description, err := io.ReadAll(io.LimitReader(file, transcript.MaxAgentDescription))
	if err != nil {
		return ""
	}
	return f.agentLabel(transcript.AgentType(description))
}

func (f *Follower) agentLabel(name string) string {
	if name == "" {
		return ""
	}
	return f.labels.Agent(name)
}

// labelAttribution sets the labels of an entry's attribution and of its skills.
func (f *Follower) labelAttribution(e *transcript.Entry) {
	for i := range e.Uses {
		if u := &e.Uses[i]; u.IsSkill() {
			u.Skill = f.labels.Skill(u.SkillName)
		}
	}
	a := e.Attribution
	if a == nil {
		return
	}
	a.AgentType = f.agentLabel(a.AgentName)
	if a.SkillName != "" {
		a.Skill = f.labels.Skill(a.SkillName)
	}
	if a.PluginName != "" {
		a.Plugin = f.labels.Plugin(a.PluginName)
	}
}
