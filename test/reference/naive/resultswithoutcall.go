package naive

// resultsWithoutCallRule implements docs/work.md for results without a call.
var resultsWithoutCallRule = Rule{
	Families: []string{"claude_tool_results_without_call_total"},
	Count: func(tree *Tree, totals *Totals) {
		calls, results := make(set), make(set)
		for l := range tree.lines() {
			for _, block := range l.Objects("message", "content") {
				switch typ := block.Text("type"); {
				case l.Text("type") == "assistant" && isCallType(typ) && isText(block.At("id")):
					calls.first(block.Text("id"))
				case isText(block.At("tool_use_id")) && isResultType(l.Text("type"), typ):
					results.first(block.Text("tool_use_id"))
				}
			}
		}
		for id := range results {
			if !calls[id] {
				totals.Add(1, "claude_tool_results_without_call_total")
			}
		}
	},
}

func isCallType(typ string) bool {
	return typ == "tool_use" || typ == "server_tool_use" || typ == "mcp_tool_use"
}
