/**
 * The server: the OpenAI, Anthropic, Ollama and llama.cpp dialects over HTTP, metrics, and the web
 * page.
 */
@SuppressWarnings("module") // the modules above this one are compiled later
module dev.varve.platform.server {
    requires transitive dev.varve.api;
    requires transitive dev.varve.platform.base;
    requires transitive dev.varve.platform.cache;
    requires transitive dev.varve.platform.chat;
    requires transitive dev.varve.platform.engine;
    requires transitive dev.varve.platform.grammar;
    requires transitive dev.varve.platform.host;
    requires transitive dev.varve.platform.jinja;
    requires transitive dev.varve.platform.shard;
    requires transitive dev.varve.platform.speculation;
    requires transitive dev.varve.platform.text;
    requires io.prometheus.metrics.config;
    requires io.prometheus.metrics.core;
    requires io.prometheus.metrics.model;
    requires io.prometheus.writer.text;
    requires jakarta.servlet;
    requires java.net.http;
    requires org.eclipse.jetty.ee11.servlet;
    requires org.eclipse.jetty.http;
    requires org.eclipse.jetty.io;
    requires org.eclipse.jetty.server;
    requires org.eclipse.jetty.util;
    requires tools.jackson.core;
    requires tools.jackson.databind;

    exports dev.varve.platform.http to
            dev.varve.platform.cli;
    exports dev.varve.platform.http.access to
            dev.varve.platform.cli;
    exports dev.varve.platform.http.fetch to
            dev.varve.platform.cli;
    exports dev.varve.platform.http.json to
            dev.varve.platform.cli;
    exports dev.varve.platform.http.model to
            dev.varve.platform.cli;
    exports dev.varve.platform.http.page to
            dev.varve.platform.cli;
    exports dev.varve.platform.http.resume to
            dev.varve.platform.cli;
    exports dev.varve.platform.http.serving to
            dev.varve.platform.cli;
    exports dev.varve.platform.http.tls to
            dev.varve.platform.cli;
    exports dev.varve.platform.http.trace to
            dev.varve.platform.cli;
    exports dev.varve.platform.http.upstream to
            dev.varve.platform.cli;
    exports dev.varve.platform.intake to
            dev.varve.platform.cli;
}
