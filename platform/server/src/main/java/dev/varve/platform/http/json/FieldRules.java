package dev.varve.platform.http.json;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * The fields of a route's bodies by their names: which ones count, which are taken without effect,
 * and which are refused since they would change an answer in a way that is not there. A field that
 * is {@code null} is absent.
 */
public final class FieldRules {
    private static final System.Logger LOG = System.getLogger("dev.varve.http");
    private static final int MOST_LOGGED = 64;

    /** What is done with a field. */
    public sealed interface Rule {
        /** It does what it says. */
        record Honoured() implements Rule {}

        /** Nothing. */
        record WithoutEffect() implements Rule {}

        /**
         * Its value is one that changes nothing.
         *
         * @param expected that value in words
         */
        record Only(String expected, Predicate<JsonNode> holds) implements Rule {}

        /**
         * It is a 400, but for empty values.
         *
         * @param why words behind the name
         */
        record Refused(String why) implements Rule {}
    }

    private final Map<String, Rule> rules;

    private FieldRules(Map<String, Rule> rules) {
        this.rules = Map.copyOf(rules);
    }

    /** Begins with no rule. */
    public static Builder builder() {
        return new Builder(new LinkedHashMap<>());
    }

    /** These rules and more. */
    public Builder more() {
        return new Builder(new LinkedHashMap<>(rules));
    }

    /** The rules by their fields' names. */
    public Map<String, Rule> rules() {
        return rules;
    }

    /**
     * Checks a body.
     *
     * @throws ApiException a 400 that names the field if there is one that may not be there
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
                            name + ": expected " + expected + "; anything else is not supported");
                }
            }
            case Rule.Refused(String why) -> {
                if (!isEmpty(value)) {
                    throw ApiException.invalid(name, name + ": " + why);
                }
            }
            case Rule.Honoured honoured -> {
                // Whoever reads it checks its value.
            }
            case Rule.WithoutEffect ignored -> {
                // Nobody reads it.
            }
        }
    }

    private static void unknown(String name, UnknownFieldPolicy policy) {
        String shown = name.length() > MOST_LOGGED ? "…" : name;
        if (policy == UnknownFieldPolicy.STRICT) {
            throw ApiException.invalid(
                    shown, shown + ": is no field of this route, and unknown fields are refused");
        }
        LOG.log(System.Logger.Level.DEBUG, "the unknown field {0} of a request is ignored", shown);
    }

    private static boolean isEmpty(JsonNode value) {
        return value.isContainer() && value.isEmpty()
                || value.isString() && value.stringValue().isEmpty()
                || value.isBoolean() && !value.booleanValue();
    }

    /** Collects rules; names are separated by spaces, and the last rule of a name counts. */
    public static final class Builder {
        private final Map<String, Rule> rules;

        private Builder(Map<String, Rule> rules) {
            this.rules = rules;
        }

        /** Fields that count. */
        public Builder honours(String names) {
            return put(names, new Rule.Honoured());
        }

        /** Fields that are taken without effect. */
        public Builder ignores(String names) {
            return put(names, new Rule.WithoutEffect());
        }

        /** Fields that may only have a value that changes nothing. */
        public Builder only(String names, String expected, Predicate<JsonNode> holds) {
            return put(names, new Rule.Only(expected, holds));
        }

        /** Fields that may only be a number that changes nothing. */
        public Builder onlyNumber(String names, double neutral) {
            String expected =
                    neutral == Math.rint(neutral)
                            ? Long.toString((long) neutral)
                            : Double.toString(neutral);
            return only(names, expected, value -> value.asDouble(Double.NaN) == neutral);
        }

        /** Fields that are refused. */
        public Builder refuses(String names, String why) {
            return put(names, new Rule.Refused(why));
        }

        private Builder put(String names, Rule rule) {
            for (String name : names.trim().split("\\s+")) {
                rules.put(name, rule);
            }
            return this;
        }

        /** All rules. */
        public FieldRules build() {
            return new FieldRules(rules);
        }
    }
}
