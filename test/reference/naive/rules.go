package naive

import "iter"

// A Rule computes all series of some families.
type Rule struct {
	Families []string
	Count    func(*Tree, Totals)
}

// Rules returns every rule.
func Rules() []Rule {
	return []Rule{
		tokensRule(), attributionRule(), requestAttributesRule(), requestsRule(), latencyRule(), sessionsRule(), turnsRule(), subagentsRule(),
		hooksRule(), workRule(), limitsRule(), toolsRule(),
	}
}

// Families returns the families of all rules.
func Families() (all []string) {
	for _, r := range Rules() {
		all = append(all, r.Families...)
	}
	return all
}

// Expected returns the totals of all rules for a tree.
func Expected(tree *Tree) Totals {
	totals := make(Totals)
	for _, r := range Rules() {
		r.Count(tree, totals)
	}
	totals.foldProjects(tree)
	return totals
}

// lines visits all entries of a tree in the order of reading.
func (t *Tree) lines() iter.Seq[*Line] {
	return func(yield func(*Line) bool) {
		for _, f := range t.Files {
			for _, l := range f.Lines {
				if !yield(l) {
					return
				}
			}
		}
	}
}
