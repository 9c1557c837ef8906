package dev.varve.platform.grammar.schema;

import dev.varve.platform.grammar.GrammarException;
import dev.varve.platform.grammar.regex.WorkBudget;

import tools.jackson.databind.JsonNode;

import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** A schema document, which resolves references. */
final class Document {
    private static final int MOST_HOPS = 64;

    private final JsonNode node;
    private final SchemaEdition dialect;
    private final Map<String, Subschema> sites = new HashMap<>();
    private final Identifiers identifiers;

    Document(JsonNode node, WorkBudget budget) {
        this.node = node;
        dialect = node.isObject() ? SchemaEdition.of(node) : SchemaEdition.DRAFT_2020;
        identifiers = new Identifiers(node, dialect, budget);
    }

    /** A node, with the resource that it belongs to. */
    record Place(SchemaResource resource, String path, JsonNode node) {
        Place below(String step, JsonNode next) {
            return new Place(resource, path + "/" + escape(step), next);
        }
    }

    SchemaEdition dialect() {
        return dialect;
    }

    /** Returns whether any schema uses unevaluated items or properties. */
    boolean tracksEvaluation() {
        return identifiers.tracksEvaluation();
    }

    Subschema root() {
        return site(identifiers.within(new Place(new SchemaResource("", "", node), "", node)));
    }

    private Subschema site(Place place) {
        if (!place.node.isObject() && !place.node.isBoolean()) {
            throw new GrammarException(place.path, "expected a schema: an object, true or false");
        }
        return sites.computeIfAbsent(
                place.path, path -> new Subschema(this, place.resource, path, place.node));
    }

    /** The schema some steps below another one. */
    Subschema child(Subschema parent, String... steps) {
        Place place = new Place(parent.resource(), parent.path(), parent.node());
        for (String step : steps) {
            place = step(place, step).orElseThrow();
        }
        return site(place);
    }

    private Optional<Place> step(Place place, String step) {
        JsonNode next =
                place.node.isArray() && step.matches("0|[1-9][0-9]{0,8}")
                        ? place.node.get(Integer.parseInt(step))
                        : place.node.get(step);
        return Optional.ofNullable(next).map(at -> identifiers.within(place.below(step, at)));
    }

    /** Escapes a step of a JSON pointer. */
    static String escape(String step) {
        return step.replace("~", "~0").replace("/", "~1");
    }

    /** The schema that a schema refers to, if it consists of a reference only; otherwise itself. */
    Subschema target(Subschema site) {
        Subschema at = site;
        for (int hops = 0; hops < MOST_HOPS && refersOnly(at); hops++) {
            at = resolve(at, "$ref");
        }
        return at;
    }

    private static boolean refersOnly(Subschema site) {
        return site.has("$ref") && Keywords.constraintsOf(site.node()).count() == 1;
    }

    /** The schema that the value of an existing keyword refers to. */
    Subschema resolve(Subschema site, String keyword) {
        String reference = site.string(keyword).orElseThrow();
        int hash = reference.indexOf('#');
        String address = hash < 0 ? reference : reference.substring(0, hash);
        String fragment = hash < 0 ? "" : decode(reference.substring(hash + 1));
        return resource(site, address)
                .flatMap(resource -> find(resource, fragment))
                .map(this::site)
                .orElseThrow(
                        () ->
                                site.refuse(
                                        keyword,
                                        "expected a schema at "
                                                + reference
                                                + " within this document, found none; other"
                                                + " documents are not read"));
    }

    private Optional<SchemaResource> resource(Subschema site, String address) {
        return address.isEmpty()
                ? Optional.of(site.resource())
                : identifiers.resource(uri(site.resource().uri(), address));
    }

    private Optional<Place> find(SchemaResource resource, String fragment) {
        Optional<Place> place = Optional.of(new Place(resource, resource.path(), resource.node()));
        if (fragment.isEmpty()) {
            return place;
        }
        // In draft 4 there are anchors such as "#/definitions/a".
        Optional<Place> named = identifiers.anchor(resource, fragment);
        if (named.isPresent() || !fragment.startsWith("/")) {
            return named;
        }
        for (String step : fragment.substring(1).split("/", -1)) {
            String name = step.replace("~1", "/").replace("~0", "~");
            place = place.flatMap(at -> step(at, name));
        }
        return place;
    }

    /**
     * Returns whether a dynamic reference has the same target from every schema.
     *
     * @param goal its target as an ordinary reference
     */
    boolean isStatic(String reference, Subschema goal) {
        String anchor = reference.substring(reference.indexOf('#') + 1);
        return !identifiers.isDynamic(goal.resource(), anchor)
                || identifiers.dynamicAnchors(anchor) == 1;
    }

    private static String decode(String fragment) {
        try {
            return URLDecoder.decode(fragment.replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return fragment;
        }
    }

    /** Makes a reference absolute; unchanged if that is not possible. */
    static String uri(String base, String reference) {
        try {
            return URI.create(base).resolve(reference).toString();
        } catch (IllegalArgumentException e) {
            return reference;
        }
    }
}
