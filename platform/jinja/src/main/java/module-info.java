/**
 * Chat templates: a parser and renderer of the part of Jinja that model files use. Does not depend
 * on models.
 */
module dev.varve.platform.jinja {
    requires transitive dev.varve.error;
    requires transitive dev.varve.platform.base;

    exports dev.varve.platform.template;
}
