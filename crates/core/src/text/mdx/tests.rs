use super::tag::MDX_TAG_BYTES_MAX;
use super::{Readable, readable};

fn check(written: &str, read: &str) {
    assert_eq!(readable(written), read, "{written}");
}

#[test]
fn a_component_that_is_all_attributes_becomes_its_text() {
    for (written, read) in [
        ("Run <Snippet text=\"pnpm add @lamp/oil\" dark /> now.", "Run `pnpm add @lamp/oil` now."),
        ("Install <InstallPackages packages=\"@lamp/oil\" /> first.", "Install `@lamp/oil` first."),
        ("<Snippet text={ 'a `b` c' } />\n", "``a `b` c``\n\n"),
        ("<Card title=\"Oil\" href=\"/oil\" />\n", "[Oil](/oil)\n\n"),
        ("See <GithubLink link=\"https://e.x/a (b)\" />.", "See [https://e.x/a (b)](<https://e.x/a (b)>)."),
        ("<Screenshot src={LAMP} alt=\"A lamp\" />\n", "A lamp\n\n"),
        ("| oil | <Check /> | <Cross /> |", "| oil | ✓ | ✗ |"),
        ("<Icon icon=\"check\" size={18} /> and <Icon icon=\"rocket\" />.", "✓ and ."),
        ("<InlinePrompt initialInput=\"Praise a lamp.\" className=\"a b\" />\n", "Praise a lamp.\n\n"),
        ("<Demo lang=\"en\" />\n", "\n"),
        ("<Demo size={-1.5} dark={true} wide={undefined} />\n", "\n"),
        ("<Card title=\"\" label=\"Oil\" />\n", "Oil\n\n"),
        (
            "<List items={[{ title: ' ', name: 'oil', grade: grade }, { title: none, name: 'wick' }]} />\n",
            "- oil\n- wick\n\n",
        ),
    ] {
        check(written, read);
    }
}

#[test]
fn a_table_of_data_becomes_a_list() {
    check(
        "<PropertiesTable\n  content={[\n    {\n      name: 'oil',\n      type: 'Oil<Kind>[]',\n      isOptional: true,\n      \
         description:\n        'What ' + \"burns.\",\n      properties: [{ type: 'Kind', parameters: [{ name: 'grade', type: 'number' }] }],\n    \
         },\n    // the other\n    { title: 'Wick', href: '/wick' },\n  ]}\n/>\n",
        "- `oil` (`Oil<Kind>[]`): What burns.\n  - `Kind`\n    - `grade` (`number`)\n- [Wick](/wick)\n\n",
    );
}

#[test]
fn tags_go_and_their_children_stay() {
    for (written, read) in [
        ("<Note type=\"warning\">\n  **Hot**: do not touch.\n</Note>\n", "\n**Hot**: do not touch.\n\n"),
        ("A <Badge color=\"green\">new</Badge> lamp.", "A new lamp."),
        ("A <Link href=\"/lamp\">lamp</Link>.", "A [lamp](/lamp)."),
        ("<Tooltip tip=\"It burns\">oil</Tooltip>", "oil (It burns)"),
        (
            "<Steps>\n  <Step title=\"Fill\">\n    Pour oil.\n\n    ```sh\n    pour\n      -s\n    ```\n  </Step>\n</Steps>\n",
            "\n\n**Fill**\n\nPour oil.\n\n```sh\npour\n  -s\n```\n\n\n",
        ),
        (
            "<Tabs items={['npm', 'pnpm']}>\n  <Tab>\n    one\n  </Tab>\n  <Tab>\n    two\n  </Tab>\n</Tabs>\n",
            "\n\n**npm**\n\none\n\n\n**pnpm**\n\ntwo\n\n\n",
        ),
        ("1. One\n\n   <Tip>\n     Two\n   </Tip>\n", "1. One\n\n   \n   Two\n   \n"),
        (
            "<Card\n  title=\"Oil\"\n  icon={<Drop />}\n  href=\"/oil\"\n>\n  Burns.\n</Card>\n",
            "\n**[Oil](/oil)**\n\nBurns.\n\n",
        ),
        (
            "<Tabs items={[\n  'npm', // not }, don't\n  'pnpm'\n]}>\n  <Tab>\n    one\n  </Tab>\n</Tabs>\n",
            "\n\n**npm**\n\none\n\n\n",
        ),
        ("<Card icon={<p>see https://lamp.example</p>} title=\"Oil\" />", "Oil\n"),
        ("<div style={{color: 'red'}} id=\"a\">x</div>", "<div id=\"a\">x</div>"),
        ("## Oil {/* #oil */}\n{/* later */}Fill{' '}it.", "## Oil {/* #oil */}\nFill it."),
    ] {
        check(written, read);
    }
}

#[test]
fn statements_go_and_prose_that_begins_like_one_stays() {
    for (written, read) in [
        (
            "---\ntitle: a\n---\nimport { Callout, FileTree } from 'nextra-theme-docs'\nimport './a.css';\n\n# Lamps\n",
            "---\ntitle: a\n---\n\n# Lamps\n",
        ),
        (
            "import Lamp, * as all from \"./lamp\"\n\nexport const Oil = () => (\n  <p>\n    It's oil\n\n  </p>\n);\n\nWords.\n",
            "\n\nWords.\n",
        ),
        ("export const meta =\n  { a: 1 }\nexport default Lamp;\n\nText", "\nText"),
    ] {
        check(written, read);
    }
    for prose in [
        "import the lamp from \"the shop\" and light it.\n",
        "import lamp from the shop\n",
        "export default settings are kept in a file.\n",
        "export const means something else\n",
        "Words before\nimport a from 'b'\n",
        "import {\nnever closed\n",
        "export \n",
        "import ",
    ] {
        check(prose, prose);
    }
}

#[test]
fn code_and_what_is_not_understood_stay_as_they_are() {
    for text in [
        "```jsx\nimport a from 'b'\n<Card title=\"x\" />\n```\n",
        "````md\n```\n<Card />\n```\n<Card />\n````\n",
        "Use `<Card title=\"x\" />` or ``<Tip>`</Tip>``.\n",
        "- ```jsx\n  <Card />\n  ```\n",
        "Code:\n\n    <Window Title=\"x\" />\n\n    <Window />\n",
        "<pre>\n<Card />\n</pre>\n",
        "<!-- <Card /> -->\n",
        "Set <API_KEY> and Map<Key, Value> and List<String>.\n",
        "\\<Card />\n",
        "<Tip warning={true}}>\n\nOpen",
        "<Chart title={await load()} />\n",
        "<Snippet text={command} />\n",
        "Use ` here.\r\n\r\nUse `<Card />` there.\r\n",
        "Use ` here.\n \t\nUse `<Card />` there.\n",
        "a < b, {{name}} and {name}\n",
        "<user {id}>\n",
    ] {
        check(text, text);
    }
}

#[test]
fn a_part_is_what_stands_at_its_bytes() {
    let text = "One <Snippet text=\"a b\" /> two\n\n<Note>\nthree\n</Note>\n";
    let readable = Readable::new(text);
    let halves = |at: usize| format!("{}{}", readable.part(0..at), readable.part(at..text.len()));
    for at in 0..text.len() {
        assert_eq!(halves(at), "One `a b` two\n\n\nthree\n\n", "{at}");
    }
}

#[test]
fn what_is_beyond_the_bounds_of_mdx_stays_as_it_is_written() {
    let tag = |bytes: usize| format!("<A title=\"{}\" />", "x".repeat(bytes - "<A title=\"\" />".len()));
    let (fits, long) = (tag(MDX_TAG_BYTES_MAX), tag(MDX_TAG_BYTES_MAX + 1));
    assert!(readable(&fits).starts_with("xx"));
    check(&long, &long);

    let nested = |depth: usize| format!("{}x{}", "<A>".repeat(depth), "</A>".repeat(depth));
    check(&nested(100), "x");
    check(&nested(101), "<A>x</A>");

    let statement = |bytes: usize| format!("import '{}'\n", "x".repeat(bytes - "import ''\n".len()));
    check(&statement(64 * 1024), "");
    let long = statement(64 * 1024 + 1);
    check(&long, &long);

    let list = |depth: usize| format!("<A b={{{}'oil'{}}} />\n", "[".repeat(depth), "]".repeat(depth));
    check(&list(16), "- oil\n\n");
    check(&list(17), "\n");
}

/// Texts that would cost time by the square of their length if anything were read again and again.
#[test]
fn no_mdx_takes_long() {
    let many = 100_000;
    for (name, text) in [
        ("open tags", "<A>".repeat(many)),
        ("open and closed by others", "<A>".repeat(many) + &"</B>".repeat(many)),
        ("alone on one line", "<A/>".repeat(many)),
        ("after many blanks", " ".repeat(many) + &"<A/>".repeat(many)),
        ("over lines", "<A\n/>".repeat(many)),
        ("unclosed attributes", "<A b=\"".repeat(many)),
        ("unclosed expressions", "<A b={'".repeat(many)),
        ("unclosed comments", "{/*".repeat(many)),
        ("line comments in expressions", "<A b={//".repeat(many)),
        ("unclosed HTML comments", "<!--".repeat(many)),
        ("unclosed elements of code", "<pre>".repeat(many)),
        ("code in one paragraph", "`a` ".repeat(many)),
        ("backticks that do not close", (1..600).map(|n| "`".repeat(n) + " ").collect()),
        ("statements that do not close", "import {\n\n".repeat(many)),
        ("blank lines in statements", format!("export const a ={}", "\n".repeat(65_000)).repeat(16)),
        ("escaped quotes in statements", format!("import {{`{}", "\\`".repeat(many * 5))),
        ("escaped quotes in expressions", format!("<A b={{`{}", "\\`".repeat(many * 5))),
        ("escaped quotes on a line", format!("<A b={{'{}", "\\'".repeat(many * 5))),
        ("lists in attributes", format!("<A b={{{}}} />", "[".repeat(many))),
        ("blocks in blocks", "<A>\n".repeat(100).repeat(20) + &"x\n".repeat(many) + &"</A>\n".repeat(100)),
    ] {
        let started = std::time::Instant::now();
        let length = readable(&text).len();
        let took = started.elapsed();
        assert!(took.as_secs() < 5, "{name}: {took:?} for {} bytes, {length} after", text.len());
    }
}
