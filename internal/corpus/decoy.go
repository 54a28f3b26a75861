package corpus

import "bytes"

// An aside is a file that is no transcript, though it may look like one.
type aside struct {
	path    string
	content []byte
}

func (s *session) aside(path, content string) {
	s.asides = append(s.asides, aside{path, []byte(content)})
}

// spill writes what lies about beside transcripts: output of tools that was too
// long, backups, notes.
func (s *session) spill() {
	beginning := string(s.b[:bytes.LastIndexByte(s.b[:min(len(s.b), 20_000)], '\n')+1])
	s.aside(s.root()+"/tool-results/"+s.provider.tool(s.dice)+".txt", string(s.texts.output.appendTo(nil, s.dice, 30000)))
	s.aside(s.root()+"/tool-results/"+s.provider.tool(s.dice)+".jsonl", beginning)
	s.aside(s.path+".backup", beginning)
	s.aside(s.dir+"/memory/MEMORY.md", "# Memory\n\n- Run the tests before every commit.\n")
	s.aside(s.dir+"/memory/notes.jsonl", beginning)
	s.aside(s.dir+"/history.jsonl", `{"display":"fix it","pastedContents":{},"timestamp":1772359200000,"project":"/home/dev/app"}`+"\n")
	s.aside(s.dir+"/sessions-index.json", `{"version":1,"entries":[]}`+"\n")
}

// describe writes what Claude Code keeps beside the file of a sub-agent.
func (s *session) describe(f *file) {
	if f.agent != "" && s.version >= v(2, 1, 90) {
		s.aside(f.path[:len(f.path)-len(".jsonl")]+".meta.json", `{"agentType":"Explore","description":"Look for the cause"}`)
	}
}
