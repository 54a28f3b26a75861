package main

import "github.com/grafana/grafana-foundation-sdk/go/dashboard"

// panelsOf returns all panels of a dashboard, including panels of collapsed rows.
func panelsOf(d dashboard.Dashboard) (all []dashboard.Panel) {
	for _, p := range d.Panels {
		if p.Panel != nil {
			all = append(all, *p.Panel)
		} else {
			all = append(all, p.RowPanel.Panels...)
		}
	}
	return all
}

// place returns the title and the place of a panel or row.
func place(p dashboard.PanelOrRowPanel) (string, dashboard.GridPos) {
	if p.Panel != nil {
		return *p.Panel.Title, *p.Panel.GridPos
	}
	return *p.RowPanel.Title, *p.RowPanel.GridPos
}
