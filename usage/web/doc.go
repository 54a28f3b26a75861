// Package web serves the page at /: usage over time, and the state of the daemon.
//
// The page is rendered on the server, as HTML with SVG charts. It runs no script and
// loads nothing, so that its Content-Security-Policy allows only its style. Everything
// is selected by links: see selection. Each chart has a table with its numbers.
//
// Names of projects, models, tools and sessions come from files that anyone may have
// written. The template escapes them, and shown makes them harmless to read.
package web
