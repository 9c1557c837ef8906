/** The exception that Varve reports to users. */
module dev.varve.error {
    exports dev.varve.api;
}
