package dev.varve.platform.grammar.schema;

import tools.jackson.databind.JsonNode;

/**
 * A part of a document that has an identifier of its own, or the whole document.
 *
 * @param uri the identifier; empty for a document without one
 * @param path JSON pointer from the root of the document
 * @param node its own root
 */
record SchemaResource(String uri, String path, JsonNode node) {}
