/** Tests that every plugin must pass, whatever its author. */
module dev.varve.contracts {
    requires transitive dev.varve.api;
    requires transitive org.junit.jupiter.api;

    exports dev.varve.contracts;

    opens dev.varve.contracts to
            org.junit.platform.commons;
}
