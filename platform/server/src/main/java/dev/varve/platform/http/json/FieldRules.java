package dev.varve.platform.http.json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Rules for the fields of a route's bodies: which ones are honoured, which are accepted without
 * effect, and which are refused since they would change a response in an unsupported way. A field
 * that is {@code null} counts as absent.
 */
public final class FieldRules {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final int MOST_LOGGED = 64;

    /** Treatment of a field. */
    public sealed interface Rule {
        /** The field is honoured. */
        record Honoured() implements Rule {}

        /** The field is accepted without effect. */
        record WithoutEffect() implements Rule {}

        /**
         * The field may only have a value that changes nothing.
         *
         * @param expected that value, for messages
         */
        record Only(String expected, Predicate<JsonNode> accepts) implements Rule {}

        /**
         * The field is refused with a 400, unless its value is empty.
         *
         * @param why message after the field's name
         */
        record Refused(String why) implements Rule {}
    }

    private final Map<String, Rule> rules;

    private FieldRules(Map<String, Rule> rules) {
        this.rules = Map.copyOf(rules);
    }

    /** Returns a builder without rules. */
    public static Builder builder() {
        return new Builder(new LinkedHashMap<>());
    }

    /** Returns a builder that begins with these rules. */
    public Builder more() {
        return new Builder(new LinkedHashMap<>(rules));
    }

    /** Returns the rules by field name. */
    public Map<String, Rule> rules() {
        return rules;
    }

    /**
     * Checks a body.
     *
     * @throws ApiException a 400 that names the field if a field is not allowed
     */
    public void check(ObjectNode body, UnknownFieldPolicy policy) {
        for (Map.Entry<String, JsonNode> field : body.properties()) {
            if (!field.getValue().isNull()) {
                check(field.getKey(), field.getValue(), policy);
            }
        }
    }

    private void check(String name, JsonNode value, UnknownFieldPolicy policy) {
        switch (Optional.ofNullable(rules.get(name)).orElse(null)) {
            case null -> unknown(name, policy);
            case Rule.Only(String expected, Predicate<JsonNode> holds) -> {
                if (!holds.test(value)) {
                    throw ApiException.invalid(
                            name,
                            name + ": expected " + expected + "; other values are not supported");
                }
            }
            case Rule.Refused(String why) -> {
                if (!isEmpty(value)) {
                    throw ApiException.invalid(name, name + ": " + why);
                }
            }
            case Rule.Honoured honoured -> {
                // Its reader checks the value.
            }
            case Rule.WithoutEffect ignored -> {
                // Not read.
            }
        }
    }

    private static void unknown(String name, UnknownFieldPolicy policy) {
        String shown = name.length() > MOST_LOGGED ? "…" : name;
        if (policy == UnknownFieldPolicy.STRICT) {
            throw ApiException.invalid(
                    shown,
                    shown
                            + ": this route has no such field, and the server rejects unknown"
                            + " fields");
        }
        LOG.log(
                System.Logger.Level.DEBUG,
                "the server ignores the unknown field {0} of a request",
                shown);
    }

    private static boolean isEmpty(JsonNode value) {
        return value.isContainer() && value.isEmpty()
                || value.isString() && value.stringValue().isEmpty()
                || value.isBoolean() && !value.booleanValue();
    }

    /** Builds rules; names are separated by spaces, and the last rule of a name counts. */
    public static final class Builder {
        private final Map<String, Rule> rules;

        private Builder(Map<String, Rule> rules) {
            this.rules = rules;
        }

        /** Adds fields that are honoured. */
        public Builder supported(String names) {
            return put(names, new Rule.Honoured());
        }

        /** Adds fields that are accepted without effect. */
        public Builder ignores(String names) {
            return put(names, new Rule.WithoutEffect());
        }

        /** Adds fields that may only have a value that changes nothing. */
        public Builder only(String names, String expected, Predicate<JsonNode> holds) {
            return put(names, new Rule.Only(expected, holds));
        }

        /** Adds fields that may only be a number that changes nothing. */
        public Builder onlyNumber(String names, double neutral) {
            String expected =
                    neutral == Math.rint(neutral)
                            ? Long.toString((long) neutral)
                            : Double.toString(neutral);
            return only(names, expected, value -> value.asDouble(Double.NaN) == neutral);
        }

        /** Adds fields that are refused. */
        public Builder refuses(String names, String why) {
            return put(names, new Rule.Refused(why));
        }

        private Builder put(String names, Rule rule) {
            for (String name : names.trim().split("\\s+")) {
                rules.put(name, rule);
            }
            return this;
        }

        /** Returns the rules. */
        public FieldRules build() {
            return new FieldRules(rules);
        }
    }
}
