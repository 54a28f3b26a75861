package corpus

// What texts are made of. None of the words must be one by which a failure or a
// prompt is told: the class of an error is read off its text.

var words = []string{
	"the", "a", "this", "which", "every", "and", "but", "when", "because", "then", "it", "we", "now", "only", "also",
	"test", "file", "change", "parser", "handler", "index", "cache", "request", "server", "client", "module", "branch",
	"database", "migration", "schema", "component", "config", "build", "release", "log", "queue", "worker", "token",
	"returns", "reads", "writes", "fails", "passes", "needs", "checks", "updates", "renders", "expects", "keeps", "moves",
	"empty", "missing", "new", "old", "same", "right", "wrong", "slow", "fast", "small", "first", "last", "next", "stale",
	"before", "after", "with", "without", "into", "from", "behind", "instead", "again", "already", "there", "here", "so",
}

var nouns = []string{
	"user", "order", "session", "item", "price", "event", "node", "page", "route", "store", "filter", "field", "table",
	"model", "view", "state", "error", "result", "option", "value", "buffer", "reader", "writer", "header", "body", "key",
	"token", "account", "message", "channel", "worker", "job", "batch", "report", "chart", "theme", "layout", "form",
}

var folders = []string{
	"src", "src/api", "src/components", "src/lib/auth", "internal/store", "internal/http", "cmd/server", "pkg/queue",
	"tests", "tests/e2e", "app/models", "app/(dashboard)/settings", "packages/ui/src", "docs", "scripts", "migrations",
}

var endings = []string{".go", ".ts", ".tsx", ".py", ".rs", ".sql", ".md", ".json", ".css", "_test.go", ".spec.ts"}

var proseTemplates = []string{
	"%W %w %w %w %w %w %w, %w %w %w %w. ", "%W %w %w `%i` %w %w %w %w. ", "%W \"%w %w\" %w %w %w in `%p`. ",
	"%W %w %w %w %w: %w %w %w %w %w %w. ", "%W %w doesn't %w %w %w %w %w. ", "%W %w %w %w %w %w %w %w.\n\n",
	"- **%W %w**: %w %w %w `%p:%n` %w %w\n", "%n. %W %w %w %w %w\n", "## %W %w\n\n", "%W %w: `%i(\"%w\")` → %w %w %w.\n",
}

var codeTemplates = []string{
	"func (s *%I) %I(ctx context.Context, %i string) (*%I, error) {\n", "\tif err != nil {\n", "\t\treturn nil, fmt.Errorf(\"%w %w: %%w\", err)\n",
	"\t}\n", "}\n", "\n", "\t%i := %i(ctx, \"%w\")\n", "// %I %w %w %w %w %w %w %w.\n", "\tfor _, %i := range s.%i {\n",
	"import { %I, %I } from '../%w/%i';\n", "  const [%i, set%I] = useState<%I | null>(null);\n", "  return <%I className=\"flex %w\" onClick={() => %i(%i)} />;\n",
	"export async function %i(%i: string, %i = %n) {\n", "  const %i = await this.%i.find({ where: { %i, %i: '%w' } });\n", "  },\n", "    });\n",
	"def %i(self, %i: str, *, %i: int = %n) -> dict[str, %I]:\n", "    \"\"\"%W %w %w %w %w %w.\"\"\"\n", "    %i = self.%i[\"%w\"]  # %w %w %w\n",
	"        raise ValueError(f\"%w {%i} %w\")\n", "    re.sub(r\"^\\s*%w\\.(\\d+)$\", \"\\\\1\", %i)\n", "  expect(%i).toEqual({ %i: \"%w\", %i: %n });\n",
	"SELECT %i, count(*) FROM %i WHERE %i = '%w' GROUP BY 1 ORDER BY 2 DESC LIMIT %n;\n", "    \"%w\": \"^%n.%n.%n\",\n", "                    %i.%i(%i, %i);\n",
}

var outputTemplates = []string{
	"ok  \tgithub.com/acme/%w/%w\t%n.%ns\n", "--- FAIL: Test%I (%n.00s)\n", "    %p:%n: %w %w %w: got \"%w\", want \"%w\"\n",
	" \x1b[32m✓\x1b[39m %p \x1b[2m(%n tests)\x1b[22m %nms\n", "%p:%n:%n - error TS2%n: Type '%I' has no property '%i'.\n",
	"%n files changed, %n insertions(+), %n deletions(-)\n", " M %p\n", "?? %p\n", "[%n/%n] %W %w %w %w\n",
	"INFO  %w %w %w %w=%n %w=\"%w\"\n", "2026-03-14T09:%n:00Z WARN %w/%w %w %w %w in %nms\n", "added %n packages in %ns\n", "  at %I.%i (%p:%n:%n)\n",
	"total %n\n", "-rw-r--r-- 1 dev dev %n%n Mar 14 09:%n %i.go\n", "%W %w %w %w %w %w\n", "\n",
}

var listingTemplates = []string{
	"%p\n", "%p\n", "%p:%n:\t%i := %i(%i, \"%w\")\n", "%p:%n:  %w %w %w %w\n", "%p-%n-  const %i = %i('%w');\n", "%p:%n:// %W %w %w %w\n",
}

var dataTemplates = []string{
	"{\"%i\": \"%w %w\", \"%i\": %n, \"%i\": [\"%w\", \"%w\"]},\n", "  \"%i\": {\n", "    \"%i\": \"%w\",\n", "    \"%i\": %n.%n,\n", "    \"path\": \"C:\\\\Users\\\\dev\\\\%w\\\\%i\",\n",
	"  },\n", "    \"url\": \"https://example.com/%w/%w?%i=%n\",\n", "    \"html\": \"<p class=\\\"%w\\\">%w %w</p>\",\n", "- heading \"%W %w\" [level=%n] [ref=e%n]\n", "  - link \"%w %w\" [ref=e%n]:\n",
}

var worldTemplates = []string{
	"这个函数 %i 返回一个空的列表，请检查 `%p` 里的测试。\n", "修复登录页面的问题 %w %w 😀 ", "データベースの移行が失敗しました: %w %w。\n", "Überprüfe bitte, ob die Änderung größer ist: %w. ",
	"Le fichier « %p » a été modifié, voilà la différence é è à ç. ", "Проверь, почему тест %i не проходит. ", "🎉 ✅ %w %w — “%w” … ", "\u2500\u2500\u2500 %w \u2502 %n \u2502\n",
	"\x00\x00%w\x00\x1b[1m%w\x1b[0m\x7f ", "한국어 텍스트 %w 입니다. ", "👩‍💻🧪 %w %w 𝒳 %n\n", "naïve café \u00a0 %w\ufffd ",
}
