//! Which server it is.

use serde_json::Value;

use super::fault::Fault;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Product {
    Elasticsearch,
    OpenSearch,
}

impl Product {
    pub(super) fn name(self) -> &'static str {
        match self {
            Product::Elasticsearch => "elasticsearch",
            Product::OpenSearch => "opensearch",
        }
    }
}

/// What `GET /` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct About {
    pub product: Product,
    /// As the server writes it, `8.19.8`.
    pub version: String,
}

impl About {
    pub(super) fn read(root: &Value) -> Result<Self, Fault> {
        let version = root["version"]["number"].as_str();
        let version = version.ok_or_else(|| Fault::reply("it is neither Elasticsearch nor OpenSearch"))?.to_owned();
        let product = match root["version"]["distribution"].as_str() {
            Some("opensearch") => Product::OpenSearch,
            _ => Product::Elasticsearch,
        };
        Ok(Self { product, version })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_product_is_told_by_its_distribution() {
        let about = |root| About::read(&root).map(|about| about.product);
        let opensearch = json!({ "version": { "distribution": "opensearch", "number": "2.19.6" } });
        assert_eq!(about(opensearch), Ok(Product::OpenSearch));
        assert_eq!(about(json!({ "version": { "number": "8.19.8" } })), Ok(Product::Elasticsearch));
        assert!(about(json!({ "hello": "web server" })).is_err());
    }
}
