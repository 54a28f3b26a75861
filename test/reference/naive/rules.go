package naive

// A Rule computes all series of some families.
type Rule struct {
	Families []string
	Count    func(*Tree, *Totals)
}

// Rules returns every rule.
func Rules() []Rule {
	return []Rule{
		Circumstances(),
		latencyRule(),
		sessionsRule(),
		requestsRule(),
		hooksRule,
		workRule,
		resultsWithoutCallRule,
		{subagentFamilies, countSubagents},
		{attributedFamilies, countAttributed},
	}
}

// Expected returns what the rules find in a tree.
func Expected(tree *Tree, rules []Rule) *Totals {
	totals := NewTotals()
	for _, r := range rules {
		r.Count(tree, totals)
	}
	return totals
}

// NonZero returns the number of counters and observations that are not zero.
func (t *Totals) NonZero() (n int) {
	for _, v := range t.counts {
		if v != 0 {
			n++
		}
	}
	return n + len(t.observations)
}
