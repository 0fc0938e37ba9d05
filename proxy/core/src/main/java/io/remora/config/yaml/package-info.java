/**
 * Readers that fill the model from a YAML file, and report each problem at its line and column. {@link
 * io.remora.config.yaml.ConfigReader} is the entry. Features and parts of clusters read their own keys by {@link io.remora.config.yaml.FeatureSection};
 * nothing else here is known outside.
 */
@NullMarked
package io.remora.config.yaml;

import org.jspecify.annotations.NullMarked;
