package dev.varve.spring;

import dev.varve.embedded.Varve;

import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.ai.chat.model.ChatModel;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Opens the model that {@code varve.model} names, and closes it with the context.
 *
 * @since 0.1.0
 */
@AutoConfiguration
@ConditionalOnProperty("varve.model")
@EnableConfigurationProperties(VarveProperties.class)
public class VarveAutoConfiguration {
    /** Creates the configuration. */
    public VarveAutoConfiguration() {}

    /** Opens the model. */
    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Varve varve(VarveProperties properties) {
        return Varve.open(properties.model(), properties.options());
    }

    /** Creates the chat model, unless the program has one. */
    @Bean
    @ConditionalOnMissingBean(ChatModel.class)
    VarveChatModel varveChatModel(Varve varve) {
        return new VarveChatModel(varve);
    }

    /** Health of the model, in programs with Spring Boot's health. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(HealthIndicator.class)
    static class Health {
        @Bean
        @ConditionalOnMissingBean
        VarveHealthIndicator varveHealthIndicator(Varve varve) {
            return new VarveHealthIndicator(varve);
        }
    }

    /** Metrics of the model, in programs with Micrometer. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterBinder.class)
    static class Metrics {
        @Bean
        @ConditionalOnMissingBean
        VarveMetrics varveMetrics(Varve varve) {
            return new VarveMetrics(varve);
        }
    }
}
