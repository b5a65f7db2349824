//! A `.vsix` is a zip archive of the extension, a manifest, and a list of the types of files. Both are made from the extension's
//! `package.json`.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};
use serde_json::Value;

/// The files of an extension, by path.
pub struct Extension {
    about: Value,
    files: BTreeMap<String, Vec<u8>>,
}

const LICENSE: &str = "LICENSE.txt";
const README: &str = "README.md";
const CHANGELOG: &str = "CHANGELOG.md";

impl Extension {
    pub fn read(folder: &Path) -> Result<Extension> {
        let mut files = BTreeMap::new();
        for (dir, prefix) in [(folder.to_owned(), ""), (folder.join("out"), "out/")] {
            for entry in fs::read_dir(&dir).with_context(|| format!("reading {}", dir.display()))? {
                let entry = entry?;
                if entry.file_type()?.is_file() {
                    files.insert(format!("{prefix}{}", entry.file_name().display()), fs::read(entry.path())?);
                }
            }
        }
        let about = serde_json::from_slice(files.get("package.json").context("there is no package.json")?)?;
        let extension = Extension { about, files };
        for file in
            [LICENSE, README, CHANGELOG, extension.text("icon"), extension.text("main").trim_start_matches("./")]
        {
            ensure!(extension.files.contains_key(file), "the extension has no {file}");
        }
        Ok(extension)
    }

    pub fn packed(&self) -> Result<Vec<u8>> {
        let mut zip = Zip::default();
        zip.add("extension.vsixmanifest", self.manifest().as_bytes())?;
        zip.add("[Content_Types].xml", self.content_types().as_bytes())?;
        for (path, content) in &self.files {
            zip.add(&format!("extension/{path}"), content)?;
        }
        zip.finish()
    }

    fn text(&self, field: &str) -> &str {
        self.about[field].as_str().unwrap_or_default()
    }

    fn listed(&self, field: &str) -> String {
        let items = self.about[field].as_array().into_iter().flatten();
        items.filter_map(Value::as_str).collect::<Vec<_>>().join(",")
    }

    fn manifest(&self) -> String {
        let asset = |kind: &str, path: &str| {
            format!(
                "    <Asset Type=\"Microsoft.VisualStudio.{kind}\" Path=\"extension/{path}\" Addressable=\"true\"/>\n"
            )
        };
        let assets = [
            asset("Code.Manifest", "package.json"),
            asset("Services.Content.Details", README),
            asset("Services.Content.Changelog", CHANGELOG),
            asset("Services.Content.License", LICENSE),
            asset("Services.Icons.Default", self.text("icon")),
        ];
        let engine = escaped(self.about["engines"]["vscode"].as_str().unwrap_or_default());
        let of = |field| escaped(self.text(field));
        format!(
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
             <PackageManifest Version=\"2.0.0\" xmlns=\"http://schemas.microsoft.com/developer/vsx-schema/2011\">\n\
             \x20 <Metadata>\n\
             \x20   <Identity Language=\"en-US\" Id=\"{}\" Version=\"{}\" Publisher=\"{}\"/>\n\
             \x20   <DisplayName>{}</DisplayName>\n\
             \x20   <Description xml:space=\"preserve\">{}</Description>\n\
             \x20   <Tags>{},__web_extension</Tags>\n\
             \x20   <Categories>{}</Categories>\n\
             \x20   <GalleryFlags>Public</GalleryFlags>\n\
             \x20   <Properties>\n\
             \x20     <Property Id=\"Microsoft.VisualStudio.Code.Engine\" Value=\"{engine}\"/>\n\
             \x20     <Property Id=\"Microsoft.VisualStudio.Code.ExtensionKind\" Value=\"workspace,web\"/>\n\
             \x20     <Property Id=\"Microsoft.VisualStudio.Code.ExecutesCode\" Value=\"true\"/>\n\
             \x20     <Property Id=\"Microsoft.VisualStudio.Services.GitHubFlavoredMarkdown\" Value=\"true\"/>\n\
             \x20   </Properties>\n\
             \x20   <License>extension/{LICENSE}</License>\n\
             \x20   <Icon>extension/{}</Icon>\n\
             \x20 </Metadata>\n\
             \x20 <Installation><InstallationTarget Id=\"Microsoft.VisualStudio.Code\"/></Installation>\n\
             \x20 <Dependencies/>\n\
             \x20 <Assets>\n{}  </Assets>\n\
             </PackageManifest>\n",
            of("name"),
            of("version"),
            of("publisher"),
            of("displayName"),
            of("description"),
            escaped(&self.listed("keywords")),
            escaped(&self.listed("categories")),
            of("icon"),
            assets.concat(),
        )
    }

    fn content_types(&self) -> String {
        let mut kinds = BTreeMap::from([("vsixmanifest", "text/xml")]);
        for path in self.files.keys() {
            let extension = path.rsplit('.').next().unwrap_or_default();
            kinds.insert(
                extension,
                match extension {
                    "json" => "application/json",
                    "js" => "application/javascript",
                    "html" => "text/html",
                    "md" => "text/markdown",
                    "png" => "image/png",
                    _ => "text/plain",
                },
            );
        }
        let kind = |(extension, kind)| format!("<Default Extension=\".{extension}\" ContentType=\"{kind}\"/>");
        let kinds: String = kinds.into_iter().map(kind).collect();
        let schema = "http://schemas.openxmlformats.org/package/2006/content-types";
        format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Types xmlns=\"{schema}\">{kinds}</Types>\n")
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// A zip archive: each file with a header, then a directory that repeats the headers. All times are the same, so the same files
/// make the same archive.
#[derive(Default)]
struct Zip {
    bytes: Vec<u8>,
    directory: Vec<u8>,
    n_files: u16,
}

/// Midnight on January 1, 1980, where the time of the format begins.
const TIME: [u8; 4] = [0, 0, 0x21, 0];
/// The version of the format, for a file that is compressed with deflate, and the flag for names in UTF-8.
const VERSION_AND_FLAGS: [u8; 4] = [20, 0, 0, 8];
const DEFLATED: [u8; 2] = [8, 0];

impl Zip {
    fn add(&mut self, path: &str, content: &[u8]) -> Result<()> {
        let start = u32::try_from(self.bytes.len())?;
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(content)?;
        let compressed = encoder.finish()?;
        let mut crc = Crc::new();
        crc.update(content);
        // What both headers have in common.
        let mut about = [VERSION_AND_FLAGS.as_slice(), &DEFLATED, &TIME].concat();
        for number in [crc.sum(), u32::try_from(compressed.len())?, u32::try_from(content.len())?] {
            about.extend(number.to_le_bytes());
        }
        about.extend(u16::try_from(path.len())?.to_le_bytes());
        about.extend([0; 2]);
        for part in [b"PK\x03\x04".as_slice(), &about, path.as_bytes(), &compressed] {
            self.bytes.extend(part);
        }
        // Made by the same version; no comment; on disk 0; no attributes.
        for part in [b"PK\x01\x02\x14\x00".as_slice(), &about, &[0; 10], &start.to_le_bytes(), path.as_bytes()] {
            self.directory.extend(part);
        }
        self.n_files += 1;
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<u8>> {
        let start = u32::try_from(self.bytes.len())?.to_le_bytes();
        let (len, n_files) = (u32::try_from(self.directory.len())?.to_le_bytes(), self.n_files.to_le_bytes());
        self.bytes.append(&mut self.directory);
        for part in [b"PK\x05\x06\0\0\0\0".as_slice(), &n_files, &n_files, &len, &start, &[0; 2]] {
            self.bytes.extend(part);
        }
        Ok(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package() -> Value {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("editors").join("vscode/package.json");
        serde_json::from_slice(&fs::read(path).expect("the extension's package.json")).expect("valid JSON")
    }

    #[test]
    fn extension_has_the_version_of_the_workspace() {
        assert_eq!(package()["version"], env!("CARGO_PKG_VERSION"));
    }

    #[test]
    fn extension_has_no_runtime_dependencies_and_runs_on_computers_and_in_browsers() {
        let about = package();
        assert!(about.get("dependencies").is_none());
        assert_eq!((about["main"].as_str(), about["browser"].as_str()), (Some("./out/node.js"), Some("./out/web.js")));
    }

    #[test]
    fn manifest_names_the_extension_and_every_type_of_file_is_listed() {
        let files = BTreeMap::from(["package.json", "out/web.js", "README.md"].map(|path| (path.to_owned(), vec![1])));
        let extension = Extension { about: package(), files };
        let manifest = extension.manifest();
        assert!(manifest.contains("Id=\"camlscope\" Version=\"0.1.0\" Publisher=\"camlscope\""), "{manifest}");
        assert!(manifest.contains("Code.Engine\" Value=\"^1.91.0\""), "{manifest}");
        let types = extension.content_types();
        for kind in [".json", ".js", ".md", ".vsixmanifest"] {
            assert!(types.contains(&format!("Extension=\"{kind}\"")), "{types}");
        }
    }

    #[test]
    fn archive_can_be_unpacked() {
        let mut zip = Zip::default();
        zip.add("a/one.txt", b"one one one one one").expect("a small file");
        zip.add("two", b"").expect("an empty file");
        let bytes = zip.finish().expect("a small archive");
        let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes")) as usize;
        let (directory, end) = (number(bytes.len() - 6), bytes.len() - 22);
        assert_eq!(&bytes[end..end + 4], b"PK\x05\x06");
        assert_eq!(directory + number(bytes.len() - 10), end);
        assert_eq!(&bytes[directory + 46..directory + 55], b"a/one.txt");
        let (compressed, len) = (number(directory + 20), number(directory + 24));
        let start = number(directory + 42) + 30 + "a/one.txt".len();
        let mut text = String::new();
        let mut decoder = flate2::read::DeflateDecoder::new(&bytes[start..start + compressed]);
        std::io::Read::read_to_string(&mut decoder, &mut text).expect("deflated text");
        assert_eq!((text.as_str(), len), ("one one one one one", text.len()));
    }
}
