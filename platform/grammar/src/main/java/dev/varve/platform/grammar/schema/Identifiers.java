package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.regex.WorkBudget;
import dev.varve.platform.grammar.schema.Document.Place;

import tools.jackson.databind.JsonNode;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Identifiers of the schemas in a document: URIs and anchors. */
final class Identifiers {
    private final SchemaEdition dialect;
    private final WorkBudget budget;
    private final Map<String, SchemaResource> resources = new HashMap<>();
    private final Map<Anchor, Place> anchors = new HashMap<>();
    private final Map<String, Integer> dynamicAnchors = new HashMap<>();
    private final Set<Anchor> dynamic = new HashSet<>();
    private boolean tracksEvaluation;

    private record Anchor(String resourcePath, String name) {}

    Identifiers(JsonNode root, SchemaEdition dialect, WorkBudget budget) {
        this.dialect = dialect;
        this.budget = budget;
        SchemaResource whole = new SchemaResource("", "", root);
        resources.put("", whole);
        scan(new Place(whole, "", root));
    }

    boolean tracksEvaluation() {
        return tracksEvaluation;
    }

    Optional<SchemaResource> resource(String uri) {
        return Optional.ofNullable(resources.get(uri));
    }

    Optional<Place> anchor(SchemaResource resource, String name) {
        return Optional.ofNullable(anchors.get(new Anchor(resource.path(), name)));
    }

    /** Returns whether an anchor of a resource is a dynamic one. */
    boolean isDynamic(SchemaResource resource, String name) {
        return dynamic.contains(new Anchor(resource.path(), name));
    }

    /** Number of dynamic anchors with a name. */
    int dynamicAnchors(String name) {
        return dynamicAnchors.getOrDefault(name, 0);
    }

    /** A place below another one, in a resource of its own if it has an identifier. */
    Place within(Place place) {
        return id(place.node())
                .filter(id -> !id.startsWith("#") && (isBase() || place.path().isEmpty()))
                .map(id -> bare(Document.uri(place.resource().uri(), id)))
                .map(uri -> new SchemaResource(uri, place.path(), place.node()))
                .map(own -> new Place(own, place.path(), place.node()))
                .orElse(place);
    }

    /** In draft 4, schemas often have addresses below the root that no reference uses. */
    private boolean isBase() {
        return dialect != SchemaEdition.DRAFT_4;
    }

    private Optional<String> id(JsonNode node) {
        JsonNode id = node.isObject() ? node.get(dialect.idKeyword()) : null;
        return id != null && id.isString() ? Optional.of(id.stringValue()) : Optional.empty();
    }

    private static String bare(String uri) {
        return uri.endsWith("#") ? uri.substring(0, uri.length() - 1) : uri;
    }

    private void scan(Place root) {
        Deque<Place> open = new ArrayDeque<>();
        open.push(root);
        while (!open.isEmpty()) {
            Place place = open.pop();
            budget.spend(10);
            if (place.node().isArray()) {
                for (int i = 0; i < place.node().size(); i++) {
                    open.push(place.below(String.valueOf(i), place.node().get(i)));
                }
            } else if (place.node().isObject()) {
                scanSchema(within(place), open);
            }
        }
    }

    private void scanSchema(Place place, Deque<Place> open) {
        resources.putIfAbsent(place.resource().uri(), place.resource());
        name(place);
        for (Map.Entry<String, JsonNode> entry : place.node().properties()) {
            String keyword = entry.getKey();
            tracksEvaluation |= keyword.startsWith("unevaluated");
            if (Keywords.holdsSchemas(keyword)) {
                open.push(place.below(keyword, entry.getValue()));
            } else if (Keywords.holdsMap(keyword)) {
                Place map = place.below(keyword, entry.getValue());
                for (Map.Entry<String, JsonNode> each : entry.getValue().properties()) {
                    open.push(map.below(each.getKey(), each.getValue()));
                }
            }
        }
    }

    private void name(Place place) {
        id(place.node()).ifPresent(id -> name(place, id));
        text(place.node(), "$anchor").ifPresent(anchor -> anchor(place, anchor));
        text(place.node(), "$dynamicAnchor")
                .ifPresent(
                        anchor -> {
                            anchor(place, anchor);
                            dynamic.add(new Anchor(place.resource().path(), anchor));
                            dynamicAnchors.merge(anchor, 1, Integer::sum);
                        });
    }

    private void name(Place place, String id) {
        if (id.startsWith("#")) {
            anchor(place, id.substring(1));
        } else if (!isBase()) {
            String uri = bare(Document.uri(place.resource().uri(), id));
            resources.putIfAbsent(uri, new SchemaResource(uri, place.path(), place.node()));
        }
    }

    private void anchor(Place place, String name) {
        anchors.putIfAbsent(new Anchor(place.resource().path(), name), place);
    }

    private static Optional<String> text(JsonNode node, String keyword) {
        JsonNode value = node.get(keyword);
        return value != null && value.isString()
                ? Optional.of(value.stringValue())
                : Optional.empty();
    }
}
