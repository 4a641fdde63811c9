//! The objects of SARIF that we write, with the names the standard gives them.
//!
//! Only for writing: fields that are always the same number of things are arrays, lists that the standard
//! wants absent rather than empty are left out when empty.

use std::collections::BTreeMap;

use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Log<'a, R: Serialize> {
    #[serde(rename = "$schema")]
    pub(super) schema: &'a str,
    pub(super) version: &'a str,
    pub(super) runs: [Run<'a, R>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Run<'a, R: Serialize> {
    pub(super) tool: Tool<'a>,
    pub(super) invocations: [Invocation<'a>; 1],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) original_uri_base_ids: Option<BTreeMap<&'a str, ArtifactLocation>>,
    pub(super) column_kind: &'a str,
    pub(super) results: R,
}

#[derive(Serialize)]
pub(super) struct Tool<'a> {
    pub(super) driver: Driver<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Driver<'a> {
    pub(super) name: &'a str,
    pub(super) semantic_version: &'a str,
    pub(super) rules: Vec<Descriptor<'a>>,
    pub(super) notifications: Vec<Descriptor<'a>>,
}

/// A rule, or a kind of notification.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor<'a> {
    pub(super) id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) name: Option<String>,
    pub(super) short_description: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) full_description: Option<Message>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) help: Option<Help>,
    pub(super) default_configuration: Configuration<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) properties: Option<RuleProperties<'a>>,
}

/// A text in two forms.
#[derive(Serialize)]
pub(super) struct Help {
    pub(super) text: String,
    pub(super) markdown: String,
}

#[derive(Serialize)]
pub(super) struct Configuration<'a> {
    pub(super) enabled: bool,
    pub(super) level: &'a str,
}

#[derive(Serialize)]
pub(super) struct RuleProperties<'a> {
    pub(super) since: &'a str,
    #[serde(rename = "security-severity", skip_serializing_if = "Option::is_none")]
    pub(super) severity: Option<&'a str>,
    pub(super) tags: Vec<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Invocation<'a> {
    pub(super) execution_successful: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) working_directory: Option<ArtifactLocation>,
    pub(super) tool_execution_notifications: Vec<Notification<'a>>,
    pub(super) tool_configuration_notifications: Vec<Notification<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Notification<'a> {
    pub(super) descriptor: DescriptorReference<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) associated_rule: Option<DescriptorReference<'a>>,
    pub(super) level: &'a str,
    pub(super) message: Message,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) locations: Vec<Location>,
}

#[derive(Serialize)]
pub(super) struct DescriptorReference<'a> {
    pub(super) id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) index: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Result<'a> {
    pub(super) rule_id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) rule_index: Option<usize>,
    pub(super) kind: &'a str,
    pub(super) level: &'a str,
    pub(super) rank: f64,
    pub(super) message: Message,
    pub(super) locations: [Location; 1],
    pub(super) partial_fingerprints: BTreeMap<&'a str, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) code_flows: Vec<CodeFlow<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) suppressions: Option<Vec<Suppression<'a>>>,
    pub(super) properties: ResultProperties<'a>,
}

#[derive(Serialize)]
pub(super) struct ResultProperties<'a> {
    pub(super) confidence: &'a str,
    pub(super) doubts: Vec<Doubt>,
    pub(super) support: &'a str,
    pub(super) urgency: &'a str,
    pub(super) growth: &'a str,
    pub(super) resource: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) variant: Option<&'a str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    pub(super) needs: &'a [String],
    pub(super) assumptions: Vec<&'a str>,
}

#[derive(Serialize)]
pub(super) struct Doubt {
    pub(super) name: &'static str,
    pub(super) text: &'static str,
}

#[derive(Serialize)]
pub(super) struct Suppression<'a> {
    pub(super) kind: &'a str,
    pub(super) justification: &'a str,
    pub(super) location: Location,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CodeFlow<'a> {
    pub(super) thread_flows: [ThreadFlow<'a>; 1],
    pub(super) properties: FlowProperties<'a>,
}

#[derive(Serialize)]
pub(super) struct FlowProperties<'a> {
    pub(super) support: &'a str,
}

#[derive(Serialize)]
pub(super) struct ThreadFlow<'a> {
    pub(super) locations: Vec<ThreadFlowLocation<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ThreadFlowLocation<'a> {
    pub(super) location: Location,
    pub(super) kinds: &'a [&'a str],
    pub(super) nesting_level: u32,
    pub(super) execution_order: usize,
    pub(super) importance: &'a str,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) state: BTreeMap<&'a str, Message>,
    pub(super) properties: StepProperties<'a>,
}

#[derive(Serialize)]
pub(super) struct StepProperties<'a> {
    pub(super) kind: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) id: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) physical_location: Option<PhysicalLocation>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) logical_locations: Vec<LogicalLocation>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) message: Option<Message>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PhysicalLocation {
    pub(super) artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) region: Option<Region>,
}

#[derive(Serialize, Clone)]
#[serde(rename_all = "camelCase")]
pub(super) struct ArtifactLocation {
    pub(super) uri: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uri_base_id: Option<&'static str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Region {
    pub(super) start_line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) start_column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) end_column: Option<u32>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LogicalLocation {
    pub(super) fully_qualified_name: String,
    pub(super) kind: &'static str,
}

#[derive(Serialize)]
pub(super) struct Message {
    pub(super) text: String,
}
