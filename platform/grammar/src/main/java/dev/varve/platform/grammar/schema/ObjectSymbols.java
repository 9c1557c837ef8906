package dev.varve.platform.grammar.schema;

import java.util.List;

/**
 * An object as symbols.
 *
 * @param properties permitted declared properties, in order
 * @param further kinds of undeclared properties
 * @param witnesses number of demands that undeclared properties must meet
 * @param least minimum number of properties
 * @param most maximum number of properties; {@link Integer#MAX_VALUE} for any number
 * @param empty an object without properties
 */
record ObjectSymbols(
        List<Property> properties,
        List<Further> further,
        int witnesses,
        int least,
        int most,
        int empty) {
    /**
     * A declared property.
     *
     * @param first its name as the first one of an object
     * @param next its name after other properties
     */
    record Property(int first, int next, int value, boolean required) {}

    /**
     * Undeclared properties.
     *
     * @param first one as the first of an object
     * @param next one after others
     * @param witnesses numbers of the demands that it meets, as bits
     */
    record Further(int first, int next, int witnesses) {}

    /** Number of required properties. */
    int required() {
        return (int) properties.stream().filter(Property::required).count();
    }

    /** Returns whether undeclared properties are permitted. */
    boolean isOpen() {
        return !further.isEmpty();
    }
}
