//! The connectors of MCP servers and API tools over small fixtures in their upstreams' shapes.

use crate::tarball::{
    Outcome, cursor, fact, fixture, fixture_batch, reject, run, run_tarball, server, tarball, target, tool,
};
use refdesk_core::Kind;
use refdesk_core::fact::RecordWithheld;
use refdesk_core::item::{Status, ToolAnnotations};
use refdesk_ingest::connectors::find;
use serde_json::json;

#[test]
fn a_catalog_gives_servers_and_the_tools_inside() -> Outcome {
    let batch = fixture_batch("docker-mcp", &[])?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (9, 6, 3), "{:?}", batch.rejects);
    let lamp = batch.facts.iter().find(|fact| fact.kind() == Kind::McpServer && fact.key == "lamp").ok_or("no lamp")?;
    assert_eq!((lamp.head.name.as_str(), lamp.head.vendor.as_deref()), ("Lamp Room", Some("lamp-works")));
    assert_eq!(lamp.source_url, "https://github.com/lamp/docker-mcp/blob/main/servers/lamp/server.yaml");
    assert_eq!(
        lamp.identity.repository.as_deref(),
        Some("https://github.com/lamp-works/lamp"),
        "a fork meets its original"
    );
    assert_eq!(lamp.record.as_bytes(), fixture("docker-mcp/servers/lamp/server.yaml")?.as_ref());
    let fields = server(lamp)?;
    assert_eq!(fields.description.as_deref(), Some("Lights and trims lamps."));
    assert_eq!(
        fields.repository.as_ref().and_then(|repository| repository.url.as_deref()),
        Some("https://github.com/lamp-works/lamp"),
        "the original, not the fork that Docker builds"
    );
    assert_eq!(lamp.provenance.references, ["https://github.com/packer/lamp-fork"]);
    assert_eq!(
        fields.packages,
        [json!({
            "registryType": "oci", "identifier": "mcp/lamp", "transport": { "type": "stdio" },
            "environmentVariables": [
                { "name": "LAMP_TOKEN", "isSecret": true, "isRequired": true },
                {
                    "name": "LAMP_COLOUR", "isSecret": false, "value": "{{lamp.colour}}",
                    "variables": { "lamp.colour": { "default": "amber" } },
                },
                { "name": "LAMP_API_KEY", "isSecret": true },
            ],
        })]
    );
    assert_eq!(
        serde_json::to_value(&fields.secrets)?,
        json!([{ "name": "lamp.token", "env": "LAMP_TOKEN", "required": true, "description": null }])
    );
    assert_eq!(
        fields.config_schema,
        Some(json!({
            "type": "object",
            "properties": {
                "colour": { "type": "string", "description": "Of the light", "default": "amber" },
                "room_token": { "type": "string" },
            },
            "required": ["colour"],
        })),
        "settings with their defaults, less a literal secret"
    );
    assert_eq!(lamp.identity.packages, ["oci:docker.io/mcp/lamp"]);
    assert_eq!(lamp.provenance.record_withheld, Some(RecordWithheld::Secret));
    assert_eq!(fields.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["light_lamp", "trim"]);
    let light = fact(&batch, "lamp/light_lamp")?;
    assert_eq!((light.head.id.as_str(), light.head.vendor.as_deref()), ("lamp.light_lamp", Some("lamp-works")));
    assert_eq!(light.source_url, "https://github.com/lamp/docker-mcp/blob/main/servers/lamp/tools.json");
    assert_eq!(
        tool(light)?.input_schema,
        Some(json!({
            "type": "object",
            "properties": {
                "lamp": { "type": "string", "description": "Which lamp" },
                "rooms": { "type": "array", "description": "Where", "items": { "type": "string" } },
            },
            "required": ["lamp"],
        }))
    );
    let stated = json!({ "type": "object", "properties": { "mm": { "type": "number" } } });
    assert_eq!(tool(fact(&batch, "lamp/trim")?)?.input_schema, Some(stated));
    assert!(tool(fact(&batch, "torch/burn")?)?.input_schema.is_some(), "a tool inside server.yaml counts too");
    let wick = fact(&batch, "wick")?;
    assert_eq!(
        server(wick)?.remotes,
        [
            json!({ "type": "sse", "url": "https://wick.example/sse", "headers": [{ "name": "Authorization", "value": "Bearer ${WICK_TOKEN}" }] })
        ]
    );
    assert_eq!(wick.identity.remotes, ["https://wick.example/sse"]);
    assert_eq!(wick.provenance.record_withheld, None, "a template is no secret");
    assert_eq!(
        tool(fact(&batch, "lamp/trim")?)?.annotations,
        Some(ToolAnnotations { read_only: Some(false), ..ToolAnnotations::default() })
    );
    assert_eq!(
        reject(&batch, "servers/lamp/tools.json item 3")?.reason,
        "the tool `trim` is listed twice with different contents; the first counts"
    );
    assert_eq!(batch.ignored, [("listed twice".to_owned(), 1)].into(), "the same tool in both files is one");
    assert!(
        reject(&batch, "servers/broken/server.yaml")?
            .reason
            .starts_with("servers/broken/server.yaml: invalid YAML: line ")
    );
    Ok(())
}

#[test]
fn a_directory_of_yaml_files_gives_a_server_each() -> Outcome {
    let batch = fixture_batch("mcp-servers-data", &[])?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (4, 2, 2), "{:?}", batch.rejects);
    let lamp = fact(&batch, "data/lamp-server/lamp-server.yml")?;
    assert_eq!((lamp.head.id.as_str(), lamp.head.name.as_str()), ("lamp-server", "Lamp Server"));
    assert_eq!(lamp.identity.repository.as_deref(), Some("https://github.com/lamp-works/lamps#servers/lamp"));
    assert_eq!(lamp.source_url, "https://github.com/lamp/mcp-servers-data/blob/main/data/lamp-server/lamp-server.yml");
    let fields = server(lamp)?;
    assert_eq!((fields.category.as_deref(), fields.tags.len()), (Some("Lamp & Wick Tools"), 2));
    assert_eq!(fields.updated_at, None, "the directory's entry was edited then, not the server");
    assert_eq!(lamp.head.vendor, None, "whoever owns a repository of many servers did not make each");
    let oil = fact(&batch, "data/oil-meter/oil-meter.yml")?;
    assert_eq!(oil.head.vendor.as_deref(), Some("Oil Works"));
    assert_eq!(
        (server(oil)?.category.as_deref(), server(oil)?.website_url.as_deref()),
        (Some("Oil Tools & Gauges"), Some("https://oil.example/mcp"))
    );
    assert!(reject(&batch, "data/broken-lamp/broken-lamp.yml")?.reason.contains("invalid YAML: line "));
    assert_eq!(
        reject(&batch, "data/nameless/nameless.yml")?.reason,
        "data/nameless/nameless.yml: `name` is missing or no text"
    );
    Ok(())
}

#[test]
fn a_brand_is_the_maker_only_where_the_owner_of_the_code_is_called_so() -> Outcome {
    for (link, brand, vendor) in [
        ("https://github.com/lamp-works/lamp", "Lamp Works", "Lamp Works"),
        ("https://github.com/lamp-works-inc/lamp", "Lamp Works", "Lamp Works"),
        ("https://github.com/lamp/lamp", "Lamp Works", "Lamp Works"),
        ("https://github.com/somebody/lamp", "Lamp Works", "somebody"),
        ("https://lamp.example", "Lamp Works", "Lamp Works"),
    ] {
        let entry = format!("name: Lamp\nsource_url: {link}\nbrand: {brand}\n").into_bytes();
        let url = "http://127.0.0.1:9900/any/codeload.github.com/lamp/data/tar.gz/main";
        let batch = run_tarball("mcp-servers-data", url, &[], &tarball(&[("data/lamp/lamp.yml", entry.as_slice())])?)?;
        assert_eq!(fact(&batch, "data/lamp/lamp.yml")?.head.vendor.as_deref(), Some(vendor), "{link}");
    }
    Ok(())
}

#[test]
fn an_archive_and_words_at_the_beginning_end_a_server_of_a_directory() -> Outcome {
    let entry = |link: &str, text: &str| format!("name: Lamp\nsource_url: {link}\ndescription: {text}\n").into_bytes();
    let root = "https://github.com/lamp-works/lamp";
    let files = [
        ("data/a/a.yml", entry(root, "Lights lamps.")),
        ("data/b/b.yml", entry("https://github.com/lamp-works/lamps/tree/main/lamps-archived/lamp", "Lights lamps.")),
        ("data/c/c.yml", entry("https://github.com/lamp-works/lamps-archived", "Lights lamps.")),
        ("data/d/d.yml", entry(root, "Archived MCP server for lamps.")),
        ("data/e/e.yml", entry(root, "Searches archived lamps.")),
    ];
    let files = files.each_ref().map(|(path, bytes)| (*path, bytes.as_slice()));
    let url = "http://127.0.0.1:9900/any/codeload.github.com/lamp/data/tar.gz/main";
    let batch = run_tarball("mcp-servers-data", url, &[], &tarball(&files)?)?;
    let told = |name: &str| -> Result<_, String> {
        let head = &fact(&batch, &format!("data/{name}/{name}.yml"))?.head;
        Ok((head.status, head.vendor.as_deref()))
    };
    assert_eq!(told("a")?, (Status::Active, Some("lamp-works")), "the root of a repository names who made it");
    assert_eq!(told("b")?, (Status::Deprecated, None));
    assert_eq!(told("c")?.0, Status::Deprecated);
    assert_eq!(told("d")?.0, Status::Deprecated);
    assert_eq!(told("e")?.0, Status::Active, "something else is archived");
    Ok(())
}

#[test]
fn a_tool_whose_description_begins_with_it_is_deprecated() -> Outcome {
    let body = json!({ "items": [
        { "slug": "LAMPS_LIGHT", "name": "Light", "description": "Deprecated: lights a lamp; use `LAMPS_KINDLE` instead." },
        { "slug": "LAMPS_DIM", "name": "Dim", "description": "(deprecated: use `LAMPS_FADE`) dims a lamp.", "is_deprecated": false },
        { "slug": "LAMPS_LIST", "name": "List", "description": "Lists deprecated lamps." },
    ] });
    let body = bytes::Bytes::from(body.to_string());
    let url = "https://backend.composio.dev/api/v3/tools?limit=100";
    let batch = run("composio", &target(url, &[])?, |_| Some(body.clone()))?;
    let status = |slug: &str| fact(&batch, slug).map(|fact| fact.head.status);
    assert_eq!((status("LAMPS_LIGHT")?, status("LAMPS_DIM")?), (Status::Deprecated, Status::Deprecated));
    assert_eq!(status("LAMPS_LIST")?, Status::Active);

    let server = b"name: lamp\nimage: mcp/lamp\nabout:\n  title: Lamp (Archived)\n  description: Lights lamps.\n";
    let tools = br#"[{"name": "light", "description": "Lights a lamp."}, {"name": "dim", "description": "[deprecated] dims a lamp"}]"#;
    let files: [(&str, &[u8]); 2] = [("servers/lamp/server.yaml", server), ("servers/lamp/tools.json", tools)];
    let url = "http://127.0.0.1:9900/any/codeload.github.com/lamp/docker/tar.gz/main";
    let batch = run_tarball("docker-mcp", url, &[], &tarball(&files)?)?;
    let status = |key: &str| fact(&batch, key).map(|fact| fact.head.status);
    assert_eq!((status("lamp")?, status("lamp/dim")?), (Status::Deprecated, Status::Deprecated));
    assert_eq!(status("lamp/light")?, Status::Active);
    Ok(())
}

#[test]
fn how_a_catalog_runs_an_image_becomes_arguments() -> Outcome {
    let entry = br#"
name: lamp
image: mcp/lamp
about: { title: Lamp }
run:
  command: [--stdio, "--level={{lamp.level}}", "{{lamp.rooms|volume-target|into}}", --key, $LAMP_KEY]
  volumes: ["{{lamp.rooms|volume|into}}", "{{lamp.home.folder}}:/home:ro", "{{lamp.more|or:[]|volume|into}}", "oil:/oil"]
  env: { LAMP_MODE: stdio, LAMP_HEADERS: '{"Authorization": "Bearer $LAMP_KEY"}' }
  user: "{{lamp.user}}"
  disableNetwork: true
  allowHosts: ["lamp.example:443"]
config:
  secrets: [{ name: lamp.key, env: LAMP_KEY }]
  env: [{ name: LAMP_LOG, value: "{{lamp.rooms|volume-target}}/lamp.log" }, { name: LAMP_ODD, value: "{{lamp.level|upper}}" }]
  parameters:
    type: object
    properties:
      level: { type: integer, default: 3 }
      rooms: { type: array, items: { type: string }, default: [/rooms] }
      home: { type: object, properties: { folder: { type: string } } }
      user: { type: string }
"#;
    let url = "http://127.0.0.1:9900/any/codeload.github.com/lamp/docker/tar.gz/main";
    let batch = run_tarball("docker-mcp", url, &[], &tarball(&[("servers/lamp/server.yaml", entry.as_slice())])?)?;
    let rooms = json!({ "lamp.rooms": { "default": "/rooms" } });
    let word = |value: &str| json!({ "type": "positional", "value": value });
    assert_eq!(
        server(fact(&batch, "lamp")?)?.packages,
        [json!({
            "registryType": "oci", "identifier": "mcp/lamp", "transport": { "type": "stdio" },
            "environmentVariables": [
                { "name": "LAMP_KEY", "isSecret": true },
                { "name": "LAMP_LOG", "isSecret": false, "value": "{{lamp.rooms}}/lamp.log", "variables": rooms },
                { "name": "LAMP_ODD", "isSecret": false, "value": "{{lamp.level|upper}}" },
                { "name": "LAMP_MODE", "isSecret": false, "value": "stdio" },
                { "name": "LAMP_HEADERS", "isSecret": false, "value": "{\"Authorization\": \"Bearer ${LAMP_KEY}\"}" },
            ],
            "runtimeArguments": [
                { "type": "named", "name": "-v", "value": "{{lamp.rooms}}:{{lamp.rooms}}", "variables": rooms },
                { "type": "named", "name": "-v", "value": "{{lamp.home.folder}}:/home:ro" },
                { "type": "named", "name": "-v", "value": "oil:/oil" },
                { "type": "named", "name": "--network", "value": "none" },
            ],
            "packageArguments": [
                word("--stdio"),
                {
                    "type": "positional", "value": "--level={{lamp.level}}",
                    "variables": { "lamp.level": { "default": "3" } },
                },
                { "type": "positional", "value": "{{lamp.rooms}}", "variables": rooms },
                word("--key"),
                word("${LAMP_KEY}"),
            ],
            "leftOut": ["config.env: LAMP_ODD", "run.allowHosts"],
        })]
    );
    Ok(())
}

#[test]
fn what_a_catalog_states_in_another_type_than_its_field_has_is_counted() -> Outcome {
    let counted = |count: usize| json!({ "values of another type than their field has, unknown": count });
    let body = json!({ "items": [
        { "slug": "LIGHT", "name": "Light", "description": 5, "input_parameters": "none", "tags": "important", "is_deprecated": "no" },
        { "slug": "DIM", "name": "Dim", "description": "Dims.", "input_parameters": {}, "tags": ["important", 7] },
    ] });
    let body = bytes::Bytes::from(body.to_string());
    let url = "https://backend.composio.dev/api/v3/tools?limit=100";
    let batch = run("composio", &target(url, &[])?, |_| Some(body.clone()))?;
    assert_eq!((batch.facts.len(), json!(batch.unshown)), (2, counted(5)));

    let server = b"name: lamp\nimage: 7\nmeta:\n  category: [a, b]\n  tags: one\nabout:\n  title: 5\n  description: Lights.\nrun: -v\n";
    let url = "http://127.0.0.1:9900/any/codeload.github.com/lamp/docker/tar.gz/main";
    let batch = run_tarball("docker-mcp", url, &[], &tarball(&[("servers/lamp/server.yaml", server)])?)?;
    assert_eq!((fact(&batch, "lamp")?.head.name.as_str(), json!(batch.unshown)), ("lamp", counted(5)));

    let entry = b"name: Lamp\nsource_url: https://github.com/lamp/lamp\ncategory: [a]\ntags: [one, 2, null]\n";
    let batch = run_tarball("mcp-servers-data", url, &[], &tarball(&[("data/lamp/lamp.yml", entry)])?)?;
    assert_eq!((batch.facts.len(), json!(batch.unshown)), (1, counted(3)));
    Ok(())
}

/// `run_tarball` compares with the count of who did not do the reading.
#[test]
fn a_list_of_tools_that_cannot_be_read_is_one_item() -> Outcome {
    let url = "http://127.0.0.1:9900/any/codeload.github.com/lamp/docker/tar.gz/main";
    let server = b"name: lamp\nimage: mcp/lamp\n".as_slice();
    for list in [br#"{"tools": [}"#.as_slice(), br#"[{"name": "light"}, {"na"#] {
        let files = [("servers/lamp/server.yaml", server), ("servers/lamp/tools.json", list)];
        let batch = run_tarball("docker-mcp", url, &[], &tarball(&files)?)?;
        assert_eq!((batch.facts.len(), batch.rejects.len()), (1, 1));
        assert!(reject(&batch, "servers/lamp/tools.json").is_ok());
    }
    Ok(())
}

/// Guards against saying only what was expected: the reasons are in the batch, which is dropped.
#[test]
fn a_catalog_of_which_no_server_can_be_read_says_why() -> Outcome {
    let url = "http://127.0.0.1:9900/any/codeload.github.com/lamp/docker/tar.gz/main";
    let files = [("servers/lamp/server.yaml", b"name: [lamp".as_slice())];
    let told = run_tarball("docker-mcp", url, &[], &tarball(&files)?).unwrap_err().to_string();
    assert!(told.contains("no server could be read"), "{told}");
    assert!(told.contains("servers/lamp/server.yaml: invalid YAML"), "{told}");
    Ok(())
}

#[test]
fn a_dockerfile_in_a_folder_called_as_the_server_tells_where_the_server_is() -> Outcome {
    let root = "https://github.com/lamp-works/servers";
    let entry =
        |source: &str| format!("name: lamp\nimage: mcp/lamp\nsource:\n  project: {root}\n{source}").into_bytes();
    let files = [
        ("servers/a/server.yaml", entry("  dockerfile: src/lamp/Dockerfile\n")),
        ("servers/b/server.yaml", entry("  dockerfile: docker/Dockerfile\n")),
        ("servers/c/server.yaml", entry("  dockerfile: lamp/Dockerfile\n  directory: src\n")),
        ("servers/d/server.yaml", entry("  dockerfile: Dockerfile\n")),
    ];
    let files = files.each_ref().map(|(path, bytes)| (*path, bytes.as_slice()));
    let url = "http://127.0.0.1:9900/any/codeload.github.com/lamp/docker/tar.gz/main";
    let batch = run_tarball("docker-mcp", url, &[], &tarball(&files)?)?;
    for (key, folder) in [("a", "#src/lamp"), ("b", ""), ("c", "#src"), ("d", "")] {
        assert_eq!(fact(&batch, key)?.identity.repository, Some(format!("{root}{folder}")), "{key}");
    }
    let shown = server(fact(&batch, "a")?)?.repository.as_ref().and_then(|repository| repository.subfolder.clone());
    assert_eq!(shown, None, "no source says that it is all there");
    Ok(())
}

#[test]
fn a_server_that_a_person_signs_in_to_asks_for_a_secret() -> Outcome {
    let remote = br#"
name: lamp-remote
type: remote
about: { title: Lamp }
remote: { transport_type: sse, url: "https://mcp.lamp.example/sse" }
oauth:
  - { provider: lamp, secret: lamp.personal_access_token, env: LAMP_TOKEN }
  - { provider: nothing }
"#;
    // Its token can also be made by hand, so upstream lists it in both places; it is told once.
    let image = br"
name: wick
image: mcp/wick
about: { title: Wick }
config: { secrets: [{ name: wick.token, env: WICK_TOKEN, description: Made by hand }] }
oauth: [{ provider: wick, secret: wick.token, env: WICK_TOKEN }]
";
    let files =
        [("servers/lamp-remote/server.yaml", remote.as_slice()), ("servers/wick/server.yaml", image.as_slice())];
    let url = "http://127.0.0.1:9900/any/codeload.github.com/lamp/docker/tar.gz/main";
    let batch = run_tarball("docker-mcp", url, &[], &tarball(&files)?)?;
    let secrets = |key: &str| -> Result<serde_json::Value, Box<dyn std::error::Error>> {
        Ok(serde_json::to_value(&server(fact(&batch, key)?)?.secrets)?)
    };
    assert_eq!(
        secrets("lamp-remote")?,
        json!([{
            "name": "lamp.personal_access_token", "env": "LAMP_TOKEN", "required": null,
            "description": "OAuth: sign in with `lamp`",
        }])
    );
    assert_eq!(
        secrets("wick")?,
        json!([{ "name": "wick.token", "env": "WICK_TOKEN", "required": null, "description": "Made by hand" }])
    );
    Ok(())
}

#[test]
fn toolkits_and_tools_are_told_by_the_url_and_asked_for_with_the_key() -> Outcome {
    let (first, second) = (fixture("composio/toolkits-1.json")?, fixture("composio/toolkits-2.json")?);
    let url = "http://127.0.0.1:9900/any/backend.composio.dev/api/v3/toolkits?limit=100";
    let mut pass = (find("composio").ok_or("no such connector")?.open)(&target(url, &[])?)?;
    assert_eq!(pass.first()[0].secret_headers, [("x-api-key".to_owned(), "COMPOSIO_API_KEY".to_owned())]);
    let batch = run("composio", &target(url, &[])?, |url| match cursor(url).as_deref() {
        None => Some(first.clone()),
        Some("c/2 +") => Some(second.clone()),
        Some(_) => None,
    })?;
    assert_eq!((batch.items_upstream, batch.facts.len(), batch.rejects.len()), (4, 2, 2));
    let lamps = fact(&batch, "_7lamps")?;
    assert_eq!((lamps.head.name.as_str(), refdesk_core::slug::slugify(&lamps.head.id).as_str()), ("7lamps", "7lamps"));
    assert_eq!(lamps.source_url, "https://backend.composio.dev/api/v3/toolkits?limit=100");
    assert_eq!(lamps.provenance.references, ["https://backend.composio.dev/api/v3/toolkits/_7lamps"]);
    assert_eq!(
        (tool(lamps)?.category.as_deref(), tool(lamps)?.description.as_deref()),
        (Some("lighting"), Some("Lights seven lamps."))
    );
    assert_eq!(tool(fact(&batch, "wick")?)?.description, None, "an empty description is none");
    assert_eq!(
        reject(&batch, "page 2 item 1")?.reason,
        "the slug `wick` is listed twice with different contents; the first counts"
    );

    let body = fixture("composio/tools.json")?;
    let tools =
        run("composio", &target("https://backend.composio.dev/api/v3/tools?limit=100", &[])?, |_| Some(body.clone()))?;
    let light = fact(&tools, "LAMPS_LIGHT_A_LAMP")?;
    assert_eq!(
        (tool(light)?.category.as_deref(), light.head.status),
        (Some("Lamps"), Status::Active),
        "hints are no topics"
    );
    assert_eq!(tool(light)?.input_schema.as_ref().map(|schema| schema["required"].clone()), Some(json!(["lamp"])));
    assert_eq!(
        tool(light)?.output_schema.as_ref().map(|schema| schema["title"].clone()),
        Some(json!("LightALampResponse"))
    );
    let hints = ToolAnnotations { open_world: Some(true), ..ToolAnnotations::default() };
    assert_eq!(tool(light)?.annotations, Some(hints), "what is not hinted is unknown");
    let old = fact(&tools, "LAMPS_OLD")?;
    assert_eq!(
        (tool(old)?.category.as_deref(), tool(old)?.input_schema.as_ref(), old.head.status),
        (None, None, Status::Deprecated)
    );
    assert!((find("composio").ok_or("none")?.open)(&target("https://backend.composio.dev/api/v3/apps", &[])?).is_err());
    Ok(())
}
