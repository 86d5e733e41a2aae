//! The drawings that yEd and related editors put into GraphML: the first label and the position are
//! read.

use base::Result;

use super::xml::{Element, Token, Xml};
use crate::model::Position;

/// The label and the position of a drawing.
#[derive(Debug, Default)]
pub(super) struct Graphics {
    pub(super) label: Option<String>,
    middle: Option<(f64, f64)>,
}

/// The drawings of a group, one for the open and one for the closed group, of which yEd shows one.
struct Realizers {
    /// The number of open elements around the drawings.
    depth: usize,
    /// The index of the drawing that is shown.
    active: usize,
    /// The number of drawings that have begun.
    begun: usize,
}

impl Realizers {
    fn new(element: &Element, depth: usize) -> Option<Self> {
        let active = || element.get("active")?.parse().ok();
        (element.name == "Realizers").then(|| Self {
            depth,
            active: active().unwrap_or_default(),
            begun: 0,
        })
    }

    fn is_shown(&self) -> bool {
        self.begun == self.active.saturating_add(1)
    }
}

impl Graphics {
    /// Reads the drawing in the element that has just opened.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidBody`] with the line.
    pub(super) fn read(&mut self, xml: &mut Xml<'_>) -> Result<()> {
        let mut open = 1_usize;
        // The depth of the label that is being read, with its text so far.
        let mut label: Option<(usize, String)> = None;
        let mut realizers: Option<Realizers> = None;
        while open > 0 {
            match xml.next()? {
                Token::Open(element) => {
                    open += 1;
                    match &mut realizers {
                        None => realizers = Realizers::new(&element, open),
                        Some(realizers) if realizers.depth + 1 == open => realizers.begun += 1,
                        Some(_) => {}
                    }
                    if realizers.as_ref().is_some_and(|all| !all.is_shown()) {
                        continue;
                    }
                    self.see(&element);
                    let is_label = matches!(element.name.as_str(), "NodeLabel" | "EdgeLabel");
                    if is_label && label.is_none() && self.label.is_none() {
                        label = Some((open, String::new()));
                    }
                }
                Token::Text(text) => {
                    if let Some((depth, label)) = &mut label
                        && *depth == open
                    {
                        label.push_str(&text);
                    }
                }
                Token::Close => {
                    if let Some((_, text)) = label.take_if(|(depth, _)| *depth == open) {
                        self.label = Some(text.trim().to_owned()).filter(|text| !text.is_empty());
                    }
                    open -= 1;
                }
                Token::End => return Ok(()),
            }
        }
        Ok(())
    }

    /// Reads the position of the centre: `Geometry` has the upper left corner and the size.
    fn see(&mut self, element: &Element) {
        if element.name != "Geometry" || self.middle.is_some() {
            return;
        }
        let number = |name: &str| element.get(name).and_then(|text| text.parse::<f64>().ok());
        let half = |name: &str| number(name).unwrap_or_default() / 2.0;
        if let (Some(x), Some(y)) = (number("x"), number("y")) {
            self.middle = Some((x + half("width"), y + half("height")));
        }
    }

    /// Returns the position of the node.
    ///
    /// # Errors
    /// [`base::CommonError::InvalidArgument`] if it is too far from the origin.
    pub(super) fn position(&self) -> Result<Option<Position>> {
        self.middle.map(|(x, y)| Position::new(x, y)).transpose()
    }
}
